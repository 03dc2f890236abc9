package io.sluice.bench.torture.pool;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.LogValidator;

/**
 * A broker's time. Its wall clock is off by the offset in a file; its monotonic time is the
 * machine's. Thread-safe.
 *
 * <p>Only the code that stamps the records of producers sees the skewed clock, because more would
 * break Kafka itself, which is not what is tested: a broker's own timers stand still until a wall
 * clock that was set back has caught up; a request that one broker forwards to another is judged by
 * both their clocks; and records that a group coordinator stamps with the right time would be
 * refused as too far ahead.
 */
final class SkewedTime implements Time {
  private static final long READ_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String SERVES_CLIENTS = "data-plane-kafka-request-handler";
  private static final StackWalker CALLERS =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final ClockFile file;
  private final AtomicLong readNanos = new AtomicLong(System.nanoTime() - READ_EVERY_NANOS);
  private volatile long offsetMillis;

  SkewedTime(ClockFile file) {
    this.file = file;
  }

  @Override
  public long milliseconds() {
    long offset = offsetMillis();
    long now = Time.SYSTEM.milliseconds();
    boolean isStamp =
        offset != 0
            && Thread.currentThread().getName().startsWith(SERVES_CLIENTS)
            && CALLERS.getCallerClass() == LogValidator.class;
    return isStamp ? now + offset : now;
  }

  private long offsetMillis() {
    long last = readNanos.get();
    long now = System.nanoTime();
    if (now - last >= READ_EVERY_NANOS && readNanos.compareAndSet(last, now)) {
      try {
        offsetMillis = file.offset().toMillis();
      } catch (IOException e) {
        // The offset stays as it was.
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
