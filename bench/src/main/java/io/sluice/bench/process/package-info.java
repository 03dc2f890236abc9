/** Starts, kills and freezes the processes of benchmarks. */
@NullMarked
package io.sluice.bench.process;

import org.jspecify.annotations.NullMarked;
