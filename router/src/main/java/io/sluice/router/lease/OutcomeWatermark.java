package io.sluice.router.lease;

/**
 * How much of what workers have said a task has heard. A worker's silence counts only as far as the
 * task has listened: what stands in the log and was not read yet may be the very word that is
 * missing. So a task that is behind, for whatever reason, ends no lease for it.
 */
@FunctionalInterface
public interface OutcomeWatermark {

  /** Of one that hears every word at once. */
  OutcomeWatermark AT_ONCE = nowNanos -> nowNanos;

  /**
   * Up to when everything has been heard: what workers knew to be in the log before that moment, on
   * the monotonic clock, has been processed. Never goes back, never lies ahead of now.
   */
  long throughNanos(long nowNanos);
}
