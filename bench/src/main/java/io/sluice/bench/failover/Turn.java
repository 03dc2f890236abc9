package io.sluice.bench.failover;

import java.util.List;
import java.util.OptionalDouble;

/**
 * What clients noticed of one failure in one round. Times are in milliseconds.
 *
 * @param hitGaps the longest gap of each stream that was on the victim
 * @param otherGaps the same of each other stream
 * @param firstTokens the time to the first token of each short request that was sent soon after
 * @param problems what was wrong with answers
 * @param lost how often clients had to go to another gateway
 * @param whole the time until the pool was whole again; empty for the baseline
 */
record Turn(
    Failure failure,
    List<Double> hitGaps,
    List<Double> otherGaps,
    List<Double> firstTokens,
    List<String> problems,
    int lost,
    OptionalDouble whole) {
  Turn {
    hitGaps = List.copyOf(hitGaps);
    otherGaps = List.copyOf(otherGaps);
    firstTokens = List.copyOf(firstTokens);
    problems = List.copyOf(problems);
  }
}
