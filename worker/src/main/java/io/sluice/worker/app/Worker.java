package io.sluice.worker.app;

import io.sluice.worker.config.WorkerConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** A worker that runs in this process, beside others if need be. Thread-safe. */
public interface Worker extends AutoCloseable {

  /**
   * Starts a worker: creates its topic, begins to listen, registers. It need not wait for its
   * engine: until that answers, nothing is assigned to it.
   *
   * @throws IllegalStateException if the brokers cannot be reached or the port is taken
   */
  static Worker start(WorkerConfig config) {
    return RunningWorker.start(config);
  }

  /** The same on a machine with this wall clock. */
  static Worker start(WorkerConfig config, Clock wallClock) {
    return RunningWorker.start(config, wallClock);
  }

  /** Its id. */
  String id();

  /** The models that it announces, the first one its own; empty while its engine is not there. */
  List<String> models();

  /** The port of {@code /health}, {@code /healthz} and {@code /prometheus}. */
  int httpPort();

  /**
   * Waits until the engine answers and the fleet knows of it.
   *
   * @return whether that was so within the time
   */
  boolean awaitReady(Duration atMost) throws InterruptedException;

  /**
   * Stops in good order: takes nothing new, hands back what has not started, lets what runs finish
   * within the grace and hands back the rest, then takes itself out of the fleet. Takes at most the
   * grace and some 30 s.
   */
  @Override
  void close();

  /** Stops as if the process were killed: nobody is told, nothing is finished. For tests. */
  void kill();
}
