package io.sluice.simulator.serving;

/** A request inside the engine. Thread-safe. */
@FunctionalInterface
public interface Submission {

  /**
   * Gives the request up: its sequences leave the engine, queued or running, before its next step.
   * Outputs of the step under way may still come. Harmless after the end.
   */
  void cancel();
}
