package io.sluice.simulator.serving;

/** A request in the engine. Thread-safe. */
@FunctionalInterface
public interface Submission {

  /**
   * Cancels the request: its sequences, waiting or running, leave the engine before its next step.
   * Outputs of the current step may still arrive. Has no effect after the end.
   */
  void cancel();
}
