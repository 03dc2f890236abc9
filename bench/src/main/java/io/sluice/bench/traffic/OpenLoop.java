package io.sluice.bench.traffic;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;

/**
 * Sends at a rate, regardless of what happens to earlier requests. A caller that waits for its
 * answers would send less to a slow pool, and hide how slow it is.
 */
public final class OpenLoop {
  private OpenLoop() {}

  /**
   * Sends evenly; returns after the last one. What is late is sent at once.
   *
   * @param send must return at once
   */
  public static void run(double perSecond, int count, Runnable send) {
    run(perSecond, sent -> sent < count, send);
  }

  /**
   * Sends evenly for as long as it is told to.
   *
   * @param goesOn is asked before each request, with the number of those before it
   * @param send must return at once
   */
  public static void run(double perSecond, IntPredicate goesOn, Runnable send) {
    long start = System.nanoTime();
    for (int i = 0; goesOn.test(i); i++) {
      await(start + (long) (i / perSecond * TimeUnit.SECONDS.toNanos(1)));
      send.run();
    }
  }

  /**
   * Sends at these times; returns after the last one. What is late is sent at once.
   *
   * @param nanos from now, in ascending order
   * @param send gets the time at which it was due, by {@link System#nanoTime}; must return at once
   */
  public static void at(long[] nanos, LongConsumer send) {
    long start = System.nanoTime();
    for (long each : nanos) {
      await(start + each);
      send.accept(start + each);
    }
  }

  private static void await(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
