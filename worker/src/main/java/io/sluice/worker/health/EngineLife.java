package io.sluice.worker.health;

import java.util.OptionalDouble;

/**
 * Tells an engine from the one that was there before it, which took all that it had along. A new
 * one tells a later start time (Prometheus' {@code process_start_time_seconds}), however fast it
 * came; of engines that tell none, one is new when it comes after nobody had been there. For one
 * thread.
 */
final class EngineLife {
  private OptionalDouble startSeconds = OptionalDouble.empty();
  private long number;

  /** The number of the life, which grows. */
  long number() {
    return number;
  }

  /**
   * The engine is up.
   *
   * @param told when it says that it started; empty if it does not
   * @param wasDead whether it was known to be dead before
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
