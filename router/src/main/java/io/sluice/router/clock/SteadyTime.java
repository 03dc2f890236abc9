package io.sluice.router.clock;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;

/**
 * A clock for Kafka Streams that runs on by the monotonic one: its wall clock, by which it ticks,
 * would stand still for as long as the machine's is set back. Thread-safe.
 */
public final class SteadyTime implements Time {
  private final LongSupplier nanoClock;
  private final long startMillis;
  private final long startNanos;

  /**
   * A clock that starts at a time.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public SteadyTime(long startMillis, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.startMillis = startMillis;
    this.startNanos = nanoClock.getAsLong();
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
