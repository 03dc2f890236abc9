package io.sluice.bench.failover;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a client got. Times are those of {@link System#nanoTime}.
 *
 * @param sentNanos when it sent its request first
 * @param arrivals when text came that it did not have yet
 * @param problem what was wrong, apart from the text; empty if the answer came to its end
 * @param lost how often it lost its gateway or was sent away by one
 */
record ClientAnswer(
    ObjectNode body,
    long sentNanos,
    List<Long> arrivals,
    String text,
    Optional<String> problem,
    int lost) {
  private static final double NANOS_PER_MILLI = 1e6;

  ClientAnswer {
    arrivals = List.copyOf(arrivals);
  }

  /** Returns the time to the first token; empty if none came. */
  OptionalDouble firstMillis() {
    return arrivals.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of((arrivals.getFirst() - sentNanos) / NANOS_PER_MILLI);
  }

  /**
   * Returns the longest time without a token that ended after a moment; empty if no token came
   * after it.
   */
  OptionalDouble longestGapMillis(long afterNanos) {
    OptionalDouble longest = OptionalDouble.empty();
    for (int at = 1; at < arrivals.size(); at++) {
      if (arrivals.get(at) - afterNanos > 0) {
        double gap = (arrivals.get(at) - arrivals.get(at - 1)) / NANOS_PER_MILLI;
        longest = OptionalDouble.of(Math.max(gap, longest.orElse(0)));
      }
    }
    return longest;
  }
}
