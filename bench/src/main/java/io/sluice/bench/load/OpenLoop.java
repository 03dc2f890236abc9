package io.sluice.bench.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends at a rate, whatever becomes of what was sent. A caller that waits for its answers would
 * send less to a slow pool, and hide how slow it is.
 */
public final class OpenLoop {
  private OpenLoop() {}

  /**
   * Sends evenly; returns after the last one. What is late is sent at once.
   *
   * @param send must return at once
   */
  public static void run(double perSecond, int count, Runnable send) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long due = start + (long) (i / perSecond * TimeUnit.SECONDS.toNanos(1));
      LockSupport.parkNanos(due - System.nanoTime());
      send.run();
    }
  }
}
