package io.sluice.worker.watchdog;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalDouble;

/** The last {@value #WINDOWS} values of a figure. For one thread. */
final class Recent {
  /** How many values are kept; fewer tell nothing. */
  static final int WINDOWS = 30;

  private final Deque<Double> values = new ArrayDeque<>();

  void add(double value) {
    values.addLast(value);
    if (values.size() > WINDOWS) {
      values.removeFirst();
    }
  }

  /**
   * Returns the value that three quarters of the windows reach or exceed; empty with too few
   * windows.
   */
  OptionalDouble lowerQuartile() {
    return atRank(WINDOWS / 4);
  }

  /** Returns the value that half of the windows reach or exceed; empty with too few windows. */
  OptionalDouble median() {
    return atRank(WINDOWS / 2);
  }

  /**
   * Returns the value that three quarters of the windows do not exceed; empty with too few windows.
   */
  OptionalDouble upperQuartile() {
    return atRank(WINDOWS - 1 - WINDOWS / 4);
  }

  private OptionalDouble atRank(int rank) {
    return values.size() < WINDOWS
        ? OptionalDouble.empty()
        : values.stream().mapToDouble(Double::doubleValue).sorted().skip(rank).findFirst();
  }
}
