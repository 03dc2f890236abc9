package io.sluice.worker.reply;

import io.sluice.common.kafka.GrouplessConsumers;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;

/**
 * A small pool of consumers. At most {@value #MAX_CONSUMERS} are lent at the same time. They are
 * created on first use and kept. Thread-safe.
 */
final class ScanConsumers implements AutoCloseable {
  private static final int MAX_CONSUMERS = 4;

  /** Code that uses a consumer. */
  interface Use {
    void with(Consumer<String, byte[]> consumer);
  }

  private final Supplier<Consumer<String, byte[]>> source;
  private final Semaphore permits = new Semaphore(MAX_CONSUMERS, true);
  private final ArrayDeque<Consumer<String, byte[]>> idle = new ArrayDeque<>();
  private boolean closed;

  ScanConsumers(Supplier<Consumer<String, byte[]>> source) {
    this.source = source;
  }

  /**
   * Lends a consumer as soon as one is free. A consumer whose use throws is closed and not lent
   * again.
   */
  void lend(Use use) throws InterruptedException {
    permits.acquire();
    try {
      Consumer<String, byte[]> consumer = take();
      boolean isHealthy = false;
      try {
        use.with(consumer);
        isHealthy = true;
      } finally {
        takeBack(consumer, isHealthy);
      }
    } finally {
      permits.release();
    }
  }

  @Override
  public void close() {
    List<Consumer<String, byte[]>> toClose;
    synchronized (this) {
      closed = true;
      toClose = List.copyOf(idle);
      idle.clear();
    }
    toClose.forEach(ScanConsumers::closeQuietly);
  }

  private Consumer<String, byte[]> take() {
    synchronized (this) {
      Consumer<String, byte[]> consumer = idle.poll();
      if (consumer != null) {
        return consumer;
      }
    }
    return source.get();
  }

  private void takeBack(Consumer<String, byte[]> consumer, boolean isHealthy) {
    boolean isKept;
    synchronized (this) {
      isKept = isHealthy && !closed;
      if (isKept) {
        idle.push(consumer);
      }
    }
    if (!isKept) {
      closeQuietly(consumer);
    }
  }

  private static void closeQuietly(Consumer<String, byte[]> consumer) {
    try {
      GrouplessConsumers.close(consumer);
    } catch (KafkaException e) {
      // The consumer held only a connection.
    }
  }
}
