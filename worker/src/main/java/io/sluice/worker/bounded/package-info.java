/** HTTP clients with limits. */
@NullMarked
package io.sluice.worker.bounded;

import org.jspecify.annotations.NullMarked;
