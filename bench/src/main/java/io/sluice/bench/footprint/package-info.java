/** What the processes of a pool take, idle and under load. */
@NullMarked
package io.sluice.bench.footprint;

import org.jspecify.annotations.NullMarked;
