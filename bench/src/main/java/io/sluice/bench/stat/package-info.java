/** Percentiles and confidence intervals. */
@NullMarked
package io.sluice.bench.stat;

import org.jspecify.annotations.NullMarked;
