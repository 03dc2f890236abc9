/** Compares how a real engine and the simulator fail. */
@NullMarked
package io.sluice.bench.faults;

import org.jspecify.annotations.NullMarked;
