/** Processes that benchmarks start, kill, freeze and start again. */
@NullMarked
package io.sluice.bench.process;

import org.jspecify.annotations.NullMarked;
