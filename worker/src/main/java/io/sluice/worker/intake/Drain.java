package io.sluice.worker.intake;

import io.sluice.fleet.WorkerOrder;
import io.sluice.worker.generation.StopReason;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains a worker that stops, whose operator ordered it, whose machine is about to go, or whose
 * engine is about to restart. No new requests are accepted while there is any such cause. Requests
 * without a token are handed back at once. Others may finish within a time; then they are handed
 * back, and their tokens are kept. Thread-safe.
 */
public final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  /** A cause that can end again; the worker is emptied meanwhile. */
  private enum Cause {
    OPERATOR,
    NOTICE
  }

  private record Emptying(Duration within, Thread thread) {}

  private final RunningGenerations running;
  private final Duration grace;
  private final Duration returnTimeout;
  private volatile boolean isStopping;
  private volatile boolean isRestarting;
  private final Map<Cause, Emptying> causes = new ConcurrentHashMap<>();

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

  /** Returns whether new requests are refused. */
  public boolean isDraining() {
    return isStopping || isRestarting || !causes.isEmpty();
  }

  /**
   * Drains the worker before it ends. Returns when nothing runs any more, after at most the sum of
   * both durations.
   */
  public void stop() {
    isStopping = true;
    try {
      empty(grace);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.stop(any -> true, StopReason.ABANDONED);
  }

  /** Applies an operator's order; an order that is in force already has no effect. */
  public void apply(WorkerOrder order) {
    if (order.isDrain()) {
      begin(Cause.OPERATOR, order.within().orElse(grace));
    } else {
      end(Cause.OPERATOR);
    }
  }

  /**
   * The machine is about to go.
   *
   * @param within when running requests must have been handed over
   */
  public void notice(Duration within) {
    if (!causes.containsKey(Cause.NOTICE)) {
      begin(Cause.NOTICE, within);
    }
  }

  /** The machine stays. */
  public void noticeWithdrawn() {
    end(Cause.NOTICE);
  }

  /**
   * Drains the worker for a restart of its engine. Returns when nothing runs any more, after at
   * most the sum of both durations. Nothing is accepted until {@link #restarted}.
   */
  public void beforeRestart() throws InterruptedException {
    isRestarting = true;
    empty(grace);
  }

  /** The engine's restart is over; requests are accepted again, unless another cause remains. */
  public void restarted() {
    isRestarting = false;
  }

  private synchronized void begin(Cause cause, Duration within) {
    Emptying now = causes.get(cause);
    if (now != null && now.within().equals(within)) {
      return;
    }
    log.info(
        "event=worker_draining cause={} running={} within_ms={}",
        name(cause),
        running.count(),
        within.toMillis());
    Thread thread =
        Thread.ofVirtual().name("sluice-drain").unstarted(() -> emptyUnlessEnded(within));
    causes.put(cause, new Emptying(within, thread));
    if (now != null) {
      now.thread().interrupt();
    }
    thread.start();
  }

  private synchronized void end(Cause cause) {
    Emptying ended = causes.remove(cause);
    if (ended != null) {
      ended.thread().interrupt();
      log.info("event=worker_resumed cause={}", name(cause));
    }
  }

  private static String name(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT);
  }

  private void emptyUnlessEnded(Duration within) {
    try {
      empty(within);
      log.info("event=worker_drained running={}", running.count());
    } catch (InterruptedException e) {
      log.info("event=worker_drain_ended running={}", running.count());
    }
  }

  private void empty(Duration within) throws InterruptedException {
    running.stop(generation -> !generation.hasStarted(), StopReason.DRAINING);
    if (!running.awaitNone(within)) {
      running.stop(any -> true, StopReason.DRAINING);
      running.awaitNone(returnTimeout);
    }
  }
}
