/** {@code bench throughput}: how many tokens a pool passes on, and what a token costs. */
@NullMarked
package io.sluice.bench.throughput;

import org.jspecify.annotations.NullMarked;
