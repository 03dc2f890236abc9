package io.sluice.worker.intake;

import io.sluice.worker.generation.StopReason;
import java.time.Duration;

/**
 * Empties a worker: nothing new is taken, what has made no token goes back at once, what has may
 * finish within the grace, and the rest goes back with its tokens kept.
 *
 * @param grace how long running requests may go on
 * @param handBackBound how long the last records may take after that
 */
public record Drain(
    RunningGenerations running, Admission admission, Duration grace, Duration handBackBound) {

  /** Drains; returns when nothing runs any more, after the sum of both durations at most. */
  public void run() {
    admission.draining().set(true);
    running.stop(generation -> !generation.hasStarted(), StopReason.DRAINING);
    try {
      if (running.awaitNone(grace)) {
        return;
      }
      running.stop(any -> true, StopReason.DRAINING);
      if (running.awaitNone(handBackBound)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.stop(any -> true, StopReason.ABANDONED);
  }
}
