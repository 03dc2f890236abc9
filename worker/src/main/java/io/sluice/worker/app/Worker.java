package io.sluice.worker.app;

import io.sluice.worker.config.WorkerConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** A worker in this process; a process may have several. Thread-safe. */
public interface Worker extends AutoCloseable {

  /**
   * Starts a worker: creates its topic, begins to listen, registers. Does not wait for the engine;
   * nothing is assigned to the worker until the engine answers.
   *
   * @throws IllegalStateException if the brokers cannot be reached or the port is taken
   */
  static Worker start(WorkerConfig config) {
    return RunningWorker.start(config);
  }

  /** Returns the same with this wall clock. */
  static Worker start(WorkerConfig config, Clock wallClock) {
    return RunningWorker.start(config, wallClock);
  }

  /** Returns its id. */
  String id();

  /**
   * Returns the models that it announces, its own first; empty while its engine does not answer.
   */
  List<String> models();

  /** Returns the port of {@code /health}, {@code /healthz} and {@code /prometheus}. */
  int httpPort();

  /**
   * Waits until the engine answers and the worker is registered.
   *
   * @return whether that happened within the time
   */
  boolean awaitReady(Duration atMost) throws InterruptedException;

  /**
   * Stops gracefully: accepts nothing new, returns requests that have not started, lets the others
   * finish within the grace period, returns the rest, and deregisters. Takes at most the grace
   * period and about 30 s.
   */
  @Override
  void close();

  /** Stops as if the process were killed: reports and finishes nothing. For tests. */
  void kill();
}
