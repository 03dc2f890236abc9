/**
 * Checks of a pool whose engine runs short of memory: eviction of bulk, the memory breaker, and the
 * figures that both depend on.
 */
@NullMarked
package io.sluice.standalone.verify.pressure;

import org.jspecify.annotations.NullMarked;
