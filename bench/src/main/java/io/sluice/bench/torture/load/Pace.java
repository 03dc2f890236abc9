package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for moments that are counted from a start. Thread-safe. */
public record Pace(long startNanos) {
  public static Pace fromNow() {
    return new Pace(System.nanoTime());
  }

  /** Returns at once if it is over already. */
  public void await(Duration sinceStart) throws InterruptedException {
    long leftNanos = sinceStart.toNanos() - (System.nanoTime() - startNanos);
    TimeUnit.NANOSECONDS.sleep(Math.max(0, leftNanos));
  }
}
