/**
 * Injected faults: their text form, which is the same in flags, in the admin API and in a request
 * header, and the faults that are active.
 */
@NullMarked
package io.sluice.simulator.fault;

import org.jspecify.annotations.NullMarked;
