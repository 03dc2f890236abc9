package io.sluice.worker.health;

import java.util.OptionalDouble;

/**
 * Detects that another engine process has taken the place of the one before; all requests of that
 * are lost. A new process reports a later start time (Prometheus' {@code
 * process_start_time_seconds}), even if it started between two probes. An engine that reports no
 * start time counts as new when it answers after it was dead. For one thread.
 */
final class EngineLife {
  private OptionalDouble startSeconds = OptionalDouble.empty();
  private long number;

  /** Returns the number of processes seen before this one. */
  long number() {
    return number;
  }

  /**
   * The engine is up.
   *
   * @param told the start time that it reports; empty if it does not
   * @param wasDead whether it was known to be dead, or to be restarted, before
   */
  void seen(OptionalDouble told, boolean wasDead) {
    boolean isSame = told.isPresent() && told.equals(startSeconds);
    boolean isLater = told.orElse(0) > startSeconds.orElse(Double.MAX_VALUE);
    boolean isNew = isLater || (wasDead && !isSame);
    if (isNew) {
      number++;
    }
    if (isNew || startSeconds.isEmpty()) {
      startSeconds = told;
    }
  }
}
