/** One run in virtual time: engines, network and callers, and what the callers see. */
@NullMarked
package io.sluice.bench.fleet.run;

import org.jspecify.annotations.NullMarked;
