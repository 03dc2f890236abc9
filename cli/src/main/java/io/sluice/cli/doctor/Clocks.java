package io.sluice.cli.doctor;

import java.time.Duration;
import java.util.Locale;

/** Compares clocks with that of this machine. */
final class Clocks {
  private static final double MILLIS_PER_SECOND = 1000;

  private Clocks() {}

  /**
   * Judges a clock.
   *
   * @param ahead how far it is ahead of this machine's
   * @param most how far it may be off
   */
  static Finding finding(String part, Duration ahead, Duration most) {
    String state =
        String.format(
            Locale.ROOT,
            "%.1f s %s this machine's",
            Math.abs(ahead.toMillis()) / MILLIS_PER_SECOND,
            ahead.isNegative() ? "behind" : "ahead of");
    return ahead.abs().compareTo(most) > 0
        ? Finding.warning(part, state, "synchronise the clocks, for example with NTP")
        : Finding.ok(part, state);
  }
}
