/** {@code bench autoscale}: rules by which the number of workers follows the load of a day. */
@NullMarked
package io.sluice.bench.fleet.autoscale;

import org.jspecify.annotations.NullMarked;
