package io.sluice.bench.faults;

import java.time.Duration;

/**
 * What a client saw.
 *
 * @param what in a few words; equal words for what is the same to a client
 * @param after how long it took; zero if it has not ended
 */
record Sighting(String what, Duration after) {}
