package io.sluice.worker.health;

import io.sluice.worker.clock.Ticker;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.intake.Incarnation;
import io.sluice.worker.intake.RunningGenerations;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that the process was frozen: its own regular tick comes much too late. The router has
 * given the worker's leases to others by then, so the worker drops all requests and begins a new
 * incarnation. For one thread, which must do nothing else that takes time.
 */
public final class FreezeWatch {
  /** The time that a lease survives without a heartbeat. */
  static final Duration LIMIT = Duration.ofMillis(1_500);

  private static final Logger log = LoggerFactory.getLogger(FreezeWatch.class);

  private final RunningGenerations running;
  private final Incarnation incarnation;
  private final Ticker ticker;
  private boolean hasTicked;
  private long lastNanos;

  public FreezeWatch(RunningGenerations running, Incarnation incarnation, Ticker ticker) {
    this.running = running;
    this.incarnation = incarnation;
    this.ticker = ticker;
  }

  /** Must be called several times within {@link #LIMIT}. */
  public void tick() {
    Duration sinceLast = hasTicked ? ticker.since(lastNanos) : Duration.ZERO;
    hasTicked = true;
    lastNanos = ticker.nanos();
    if (sinceLast.compareTo(LIMIT) > 0) {
      log.warn(
          "event=worker_was_frozen millis={} abandoned={}", sinceLast.toMillis(), running.count());
      incarnation.renew();
      running.stop(any -> true, StopReason.ABANDONED);
    }
  }
}
