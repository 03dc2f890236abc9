package io.sluice.worker.intake;

import io.sluice.fleet.WorkerOrder;
import io.sluice.worker.generation.StopReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains a worker that stops, whose operator ordered it, or whose engine is about to restart. No
 * new requests are accepted. Requests without a token are returned at once. Others may finish
 * within the grace period; then they are returned, and their tokens are kept. Thread-safe.
 */
public final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private final RunningGenerations running;
  private final Duration grace;
  private final Duration returnTimeout;
  private volatile boolean isStopping;
  private volatile boolean isRestarting;
  private volatile @Nullable Thread ordered;

  /**
   * A drain that has not begun.
   *
   * @param grace how long running requests may continue
   * @param returnTimeout how long their last records may take after that
   */
  public Drain(RunningGenerations running, Duration grace, Duration returnTimeout) {
    this.running = running;
    this.grace = grace;
    this.returnTimeout = returnTimeout;
  }

  /** Whether new requests are refused. */
  public boolean isDraining() {
    return isStopping || isRestarting || ordered != null;
  }

  /**
   * Drains the worker for good. Returns when nothing runs any more, after at most the sum of both
   * durations.
   */
  public void stop() {
    isStopping = true;
    try {
      empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.stop(any -> true, StopReason.ABANDONED);
  }

  /** Applies an operator's order; an order that is in force already has no effect. */
  public synchronized void apply(WorkerOrder order) {
    Thread draining = ordered;
    switch (order) {
      case DRAIN -> {
        if (draining == null) {
          log.info("event=worker_draining cause=operator running={}", running.count());
          ordered = Thread.ofVirtual().name("sluice-drain").start(this::emptyUnlessResumed);
        }
      }
      case RESUME -> {
        if (draining != null) {
          ordered = null;
          draining.interrupt();
          log.info("event=worker_resumed cause=operator");
        }
      }
    }
  }

  /**
   * Drains the worker for a restart of its engine. Returns when nothing runs any more, after at
   * most the sum of both durations. Nothing is accepted until {@link #restarted}.
   */
  public void beforeRestart() throws InterruptedException {
    isRestarting = true;
    empty();
  }

  /** The engine's restart is over; requests are accepted again, unless another cause remains. */
  public void restarted() {
    isRestarting = false;
  }

  private void emptyUnlessResumed() {
    try {
      empty();
      log.info("event=worker_drained running={}", running.count());
    } catch (InterruptedException e) {
      log.info("event=worker_drain_ended running={}", running.count());
    }
  }

  private void empty() throws InterruptedException {
    running.stop(generation -> !generation.hasStarted(), StopReason.DRAINING);
    if (!running.awaitNone(grace)) {
      running.stop(any -> true, StopReason.DRAINING);
      running.awaitNone(returnTimeout);
    }
  }
}
