package io.sluice.common.protocol;

import java.time.Duration;

/** How long a bulk request can be deferred. */
public final class Slack {
  /**
   * The last part of a request's time, in which it is deadline-critical: at least this long, or a
   * tenth of its time.
   */
  private static final Duration LEAST = Duration.ofSeconds(60);

  private static final int PART = 10;

  private Slack() {}

  /**
   * Returns the time from which a bulk request is served like an interactive one: when less than 60
   * s, or less than a tenth of its time, is left until its deadline.
   *
   * @param appendTimeMillis when the request was appended, by any clock
   * @param deadlineMillis the deadline, by the same clock
   * @return the time by the same clock; may be before the request was appended
   */
  public static long endsAtMillis(long appendTimeMillis, long deadlineMillis) {
    long part = (deadlineMillis - appendTimeMillis) / PART;
    return deadlineMillis - Math.max(LEAST.toMillis(), part);
  }
}
