package io.sluice.producer.kafka;

import io.sluice.common.kafka.GrouplessConsumers;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A few consumers that any number of callers use in turn. They are opened when they are needed.
 * Thread-safe.
 */
public final class ConsumerPool implements AutoCloseable {
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  private final Supplier<Consumer<String, byte[]>> opener;
  private final int size;
  private final Semaphore free;
  private final Deque<Consumer<String, byte[]>> idle = new ConcurrentLinkedDeque<>();

  /**
   * @param size the most consumers
   */
  public ConsumerPool(Supplier<Consumer<String, byte[]>> opener, int size) {
    this.opener = opener;
    this.size = size;
    this.free = new Semaphore(size, true);
  }

  /**
   * Lends a consumer to a piece of work.
   *
   * @param patience how long to wait for a free one
   * @throws TimeoutException if none became free in time, or the pool is closed
   */
  public <T> T use(Duration patience, Function<Consumer<String, byte[]>, T> work) {
    if (!isAcquired(1, patience)) {
      throw new TimeoutException("too many readings at once");
    }
    try {
      Consumer<String, byte[]> known = idle.pollFirst();
      Consumer<String, byte[]> consumer = known == null ? opener.get() : known;
      try {
        return work.apply(consumer);
      } finally {
        idle.addFirst(consumer);
      }
    } finally {
      free.release();
    }
  }

  private boolean isAcquired(int permits, Duration patience) {
    try {
      return free.tryAcquire(permits, patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /** Closes the consumers; those in use are left to end with the process. */
  @Override
  public void close() {
    isAcquired(size, CLOSE_WITHIN);
    for (var consumer = idle.pollFirst(); consumer != null; consumer = idle.pollFirst()) {
      GrouplessConsumers.close(consumer);
    }
  }
}
