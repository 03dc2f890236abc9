package io.sluice.worker.watchdog;

import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When an engine's next planned restart is due: a fixed time after its last one, and up to a
 * quarter longer by chance, so that workers that started together do not restart together. For one
 * thread.
 */
final class RestartSchedule {
  private static final double JITTER = 0.25;

  private final Duration every;
  private final Ticker ticker;
  private final RandomGenerator random;
  private long began;
  private Duration wait = Duration.ZERO;

  /** A schedule that begins now; of zero, nothing is ever due. */
  RestartSchedule(Duration every, Ticker ticker, RandomGenerator random) {
    this.every = every;
    this.ticker = ticker;
    this.random = random;
    restarted();
  }

  /** The engine has restarted. */
  void restarted() {
    began = ticker.nanos();
    wait = every.plusMillis((long) (every.toMillis() * JITTER * random.nextDouble()));
  }

  boolean isDue() {
    return !every.isZero() && ticker.since(began).compareTo(wait) >= 0;
  }
}
