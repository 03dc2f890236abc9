package io.sluice.router.lease;

/**
 * The time up to which a task has processed the outcomes. The silence of a worker counts only up to
 * this time, because a missing report may be in the log, unread. So a task that is behind, for
 * whatever reason, ends no lease for it.
 */
@FunctionalInterface
public interface OutcomeWatermark {

  /** The watermark of a task that processes every outcome at once. */
  OutcomeWatermark AT_ONCE = nowNanos -> nowNanos;

  /**
   * Returns the time, on the monotonic clock, up to which everything that workers wrote has been
   * processed. It never goes back and is never ahead of now.
   */
  long throughNanos(long nowNanos);
}
