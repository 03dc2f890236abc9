package io.sluice.worker.intake;

import io.sluice.fleet.WorkerOrder;
import io.sluice.worker.generation.StopReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties a worker that is to stop, or that its operator wants empty: nothing new is taken, what
 * has made no token goes back at once, what has may finish within the grace, and the rest goes back
 * with its tokens kept. Thread-safe.
 */
public final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private final RunningGenerations running;
  private final Duration grace;
  private final Duration returnTimeout;
  private volatile boolean isStopping;
  private volatile @Nullable Thread ordered;

  /**
   * A drain that has not begun.
   *
   * @param grace how long running requests may go on
   * @param returnTimeout how long the last records may take after that
   */
  public Drain(RunningGenerations running, Duration grace, Duration returnTimeout) {
    this.running = running;
    this.grace = grace;
    this.returnTimeout = returnTimeout;
  }

  /** Whether nothing new is to be taken. */
  public boolean isDraining() {
    return isStopping || ordered != null;
  }

  /**
   * Empties the worker for good; returns when nothing runs any more, after the sum of both
   * durations at most.
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

  /** Does what the operator says; an order that was obeyed already changes nothing. */
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
