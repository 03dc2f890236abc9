/** Engines that are asked without Sluice, to have something to compare its answers with. */
@NullMarked
package io.sluice.bench.direct;

import org.jspecify.annotations.NullMarked;
