package io.sluice.common.protocol;

import java.time.Duration;

/** How long bulk work can be put off. */
public final class Slack {
  /** The last part of a request's time in which it is hurried: at least this, or a tenth of all. */
  private static final Duration LEAST = Duration.ofSeconds(60);

  private static final int PART = 10;

  private Slack() {}

  /**
   * From when on a bulk request is served as an interactive one: less than 60 s, or than a tenth of
   * its time, is left until its deadline.
   *
   * @param appendTimeMillis when the request came, by any clock
   * @param deadlineMillis when nobody wants its answer any more, by the same clock
   * @return by the same clock; may be before the request came
   */
  public static long endsAtMillis(long appendTimeMillis, long deadlineMillis) {
    long part = (deadlineMillis - appendTimeMillis) / PART;
    return deadlineMillis - Math.max(LEAST.toMillis(), part);
  }
}
