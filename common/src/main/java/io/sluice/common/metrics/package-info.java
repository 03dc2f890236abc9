/** What the metrics of all services share. */
@NullMarked
package io.sluice.common.metrics;

import org.jspecify.annotations.NullMarked;
