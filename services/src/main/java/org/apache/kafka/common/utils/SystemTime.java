package org.apache.kafka.common.utils;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The clock of all Kafka code in this process, by which it counts its time-outs, back-offs and
 * ticks: it starts at the wall clock's time and runs on by the monotonic one.
 *
 * <p>It takes the place of Kafka's class of this name, before which it must be in the class path.
 * That one reads the wall clock each time, and Kafka's clients take no other. Where a wall clock is
 * set back, they send no heartbeats, do not connect again and learn of no new partition leader
 * until it shows the old time again, be it hours later; where it is set ahead, all that waits is
 * timed out at once.
 *
 * <p>Thread-safe.
 */
final class SystemTime implements Time {
  private final LongSupplier nanoClock;
  private final long startMillis;
  private final long startNanos;

  /**
   * A clock that starts at a time.
   *
   * @param nanoClock monotonic nanoseconds
   */
  SystemTime(long startMillis, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.startMillis = startMillis;
    this.startNanos = nanoClock.getAsLong();
  }

  /** What {@link Time#SYSTEM} becomes. */
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
