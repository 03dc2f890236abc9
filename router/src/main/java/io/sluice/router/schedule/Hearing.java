package io.sluice.router.schedule;

/**
 * How much of what workers have said a task has heard. A worker's silence counts only as far as the
 * task has listened: what stands in the log and was not read yet may be the very word that is
 * missing. So a task that is behind, for whatever reason, ends no lease for it.
 */
public interface Hearing {

  /** Of one that hears every word at once. */
  Hearing AT_ONCE =
      new Hearing() {
        @Override
        public long throughNanos(long nowNanos) {
          return nowNanos;
        }

        @Override
        public long behindNanos(long nowNanos) {
          return 0;
        }
      };

  /**
   * Up to when everything has been heard: what workers knew to be in the log before that moment, on
   * the monotonic clock, has been processed. Never goes back, never lies ahead of now.
   */
  long throughNanos(long nowNanos);

  /** For how long there has been something in the log that is not processed yet; 0 if not known. */
  long behindNanos(long nowNanos);
}
