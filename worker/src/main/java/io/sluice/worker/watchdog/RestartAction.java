package io.sluice.worker.watchdog;

/** Restarts an engine. Thread-safe. */
@FunctionalInterface
interface RestartAction {

  /**
   * Restarts the engine; it may still boot when this returns.
   *
   * @param cause in a word, for the action's own log
   * @throws RestartFailedException if the action reports a failure or does not end in time
   */
  void restart(String cause) throws RestartFailedException, InterruptedException;

  /** Returns whether a restart is let through at present; asked before the worker drains for it. */
  default boolean isAllowed() throws InterruptedException {
    return true;
  }
}
