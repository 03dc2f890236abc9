/** {@code /v1/batches}. */
@NullMarked
package io.sluice.gateway.batch;

import org.jspecify.annotations.NullMarked;
