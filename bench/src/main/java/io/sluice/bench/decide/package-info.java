/** JMH benchmarks of the code that every request goes through. */
@NullMarked
package io.sluice.bench.decide;

import org.jspecify.annotations.NullMarked;
