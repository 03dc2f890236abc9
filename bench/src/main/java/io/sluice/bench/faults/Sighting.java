package io.sluice.bench.faults;

import java.time.Duration;

/**
 * What a client observed.
 *
 * @param what a few words; equal for observations that are the same to a client
 * @param after how long the exchange took; zero if it has not ended
 */
record Sighting(String what, Duration after) {}
