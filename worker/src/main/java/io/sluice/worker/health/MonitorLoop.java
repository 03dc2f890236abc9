package io.sluice.worker.health;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Looks at the engine, and judges it, at an interval, on a thread of its own. */
public final class MonitorLoop implements AutoCloseable {
  private final EngineWatch watch;
  private final Duration interval;
  private final BreakerMonitor breaker;
  private final CountDownLatch stopping = new CountDownLatch(1);

  public MonitorLoop(EngineWatch watch, BreakerMonitor breaker, Duration interval) {
    this.watch = watch;
    this.breaker = breaker;
    this.interval = interval;
  }

  /** Starts to look. */
  public void start() {
    Thread.ofVirtual().name("sluice-engine-monitor").start(this::run);
  }

  /** Ends the loop; a look that is under way ends by its own bound. */
  @Override
  public void close() {
    stopping.countDown();
  }

  private void run() {
    try {
      do {
        breaker.looked(watch.look());
      } while (!stopping.await(interval.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
