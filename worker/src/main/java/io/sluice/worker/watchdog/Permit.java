package io.sluice.worker.watchdog;

/** The permit to restart this worker's engine. */
public interface Permit {

  /** Takes the permit, or renews it; returns whether the worker holds it now. */
  boolean hold() throws InterruptedException;

  /** Gives it back. */
  void release() throws InterruptedException;
}
