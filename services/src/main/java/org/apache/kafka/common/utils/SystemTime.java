package org.apache.kafka.common.utils;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The clock of all Kafka code in this process, for timeouts, back-offs and ticks. It starts at the
 * time of the wall clock and advances with the monotonic clock.
 *
 * <p>It replaces Kafka's class of the same name, so it must come before that class on the class
 * path. Kafka's class reads the wall clock each time, and Kafka's clients accept no other. If a
 * wall clock is set back, such clients send no heartbeats, do not reconnect and do not learn of new
 * partition leaders until it shows the old time again, possibly hours later. If it is set forward,
 * everything that waits times out at once.
 *
 * <p>Thread-safe.
 */
final class SystemTime implements Time {
  private final LongSupplier nanoClock;
  private final long startMillis;
  private final long startNanos;

  /**
   * Creates a clock that starts at a time.
   *
   * @param nanoClock monotonic nanoseconds
   */
  SystemTime(long startMillis, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.startMillis = startMillis;
    this.startNanos = nanoClock.getAsLong();
  }

  /** Creates the clock for {@link Time#SYSTEM}. */
  public static SystemTime getSystemTime() {
    return new SystemTime(System.currentTimeMillis(), System::nanoTime);
  }

  @Override
  public long milliseconds() {
    return startMillis + TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startNanos);
  }

  @Override
  public long nanoseconds() {
    return nanoClock.getAsLong();
  }

  @Override
  public void sleep(long millis) {
    Utils.sleep(millis);
  }

  @Override
  public void waitObject(Object lock, Supplier<Boolean> condition, long deadlineMillis)
      throws InterruptedException {
    synchronized (lock) {
      while (!condition.get()) {
        long left = deadlineMillis - milliseconds();
        if (left <= 0) {
          throw new TimeoutException("Condition not satisfied before deadline");
        }
        lock.wait(left);
      }
    }
  }
}
