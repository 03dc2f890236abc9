/** Traces that are made from a fixed seed, so that everybody has the same ones. */
@NullMarked
package io.sluice.bench.trace.generated;

import org.jspecify.annotations.NullMarked;
