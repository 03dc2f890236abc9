package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for points in time that are counted from a start. Thread-safe. */
public record Timeline(long startNanos) {
  public static Timeline fromNow() {
    return new Timeline(System.nanoTime());
  }

  /** Returns at once if that time has passed. */
  public void await(Duration sinceStart) throws InterruptedException {
    long leftNanos = sinceStart.toNanos() - (System.nanoTime() - startNanos);
    TimeUnit.NANOSECONDS.sleep(Math.max(0, leftNanos));
  }
}
