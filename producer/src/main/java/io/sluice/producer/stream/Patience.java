package io.sluice.producer.stream;

import java.time.Duration;

/** Bounds how long a stream waits. Stateless. */
public final class Patience {
  /** Bounds the arithmetic on request deadlines; no longer deadline is meaningful. */
  private static final Duration MOST = Duration.ofDays(365);

  private Patience() {}

  /** Returns the duration, or the longest one, positive or negative, that can be counted with. */
  public static Duration bounded(Duration patience) {
    Duration least = MOST.negated();
    Duration atLeast = patience.compareTo(least) > 0 ? patience : least;
    return atLeast.compareTo(MOST) < 0 ? atLeast : MOST;
  }
}
