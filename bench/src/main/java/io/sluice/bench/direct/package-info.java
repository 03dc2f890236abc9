/** Asks engines directly, without Sluice, for reference answers. */
@NullMarked
package io.sluice.bench.direct;

import org.jspecify.annotations.NullMarked;
