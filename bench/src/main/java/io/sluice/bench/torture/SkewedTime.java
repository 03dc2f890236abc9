package io.sluice.bench.torture;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/**
 * A broker's time, whose wall clock is off by what a file says. Monotonic time is the machine's.
 * Thread-safe.
 *
 * <p>Only the threads that handle requests, and so stamp records, see the skewed clock. Kafka's own
 * timers stand still while a wall clock that was set back catches up, be it for hours: that is not
 * what is tested.
 */
final class SkewedTime implements Time {
  private static final long READ_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String STAMPS_RECORDS = "data-plane-kafka-request-handler";

  private final ClockFile file;
  private final AtomicLong readNanos = new AtomicLong(System.nanoTime() - READ_EVERY_NANOS);
  private volatile long offsetMillis;

  SkewedTime(ClockFile file) {
    this.file = file;
  }

  @Override
  public long milliseconds() {
    long now = Time.SYSTEM.milliseconds();
    return Thread.currentThread().getName().startsWith(STAMPS_RECORDS) ? now + offsetMillis() : now;
  }

  private long offsetMillis() {
    long last = readNanos.get();
    long now = System.nanoTime();
    if (now - last >= READ_EVERY_NANOS && readNanos.compareAndSet(last, now)) {
      try {
        offsetMillis = file.offset().toMillis();
      } catch (IOException e) {
        // It stays as it was.
      }
    }
    return offsetMillis;
  }

  @Override
  public long hiResClockMs() {
    return Time.SYSTEM.hiResClockMs();
  }

  @Override
  public long nanoseconds() {
    return Time.SYSTEM.nanoseconds();
  }

  @Override
  public void sleep(long millis) {
    Time.SYSTEM.sleep(millis);
  }

  @Override
  public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMillis)
      throws InterruptedException {
    Time.SYSTEM.waitObject(object, condition, deadlineMillis);
  }
}
