/**
 * The measurements of {@code ./sluice bench}: fleets of simulated engines in virtual time, and
 * microbenchmarks.
 */
@NullMarked
package io.sluice.bench;

import org.jspecify.annotations.NullMarked;
