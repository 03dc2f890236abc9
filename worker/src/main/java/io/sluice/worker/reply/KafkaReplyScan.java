package io.sluice.worker.reply;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Scans over a small pool of consumers: at most {@value #MAX_CONSUMERS} at once, made when first
 * needed and kept. A consumer that failed is closed. Thread-safe.
 */
public final class KafkaReplyScan implements ReplyScan, AutoCloseable {
  private static final int MAX_CONSUMERS = 4;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE = Duration.ofSeconds(1);

  private final Supplier<Consumer<String, byte[]>> consumers;
  private final Ticker ticker;
  private final Semaphore permits = new Semaphore(MAX_CONSUMERS, true);
  private final ArrayDeque<Consumer<String, byte[]>> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * A scan whose consumers come from here.
   *
   * @param consumers makes a consumer without a group
   */
  public KafkaReplyScan(Supplier<Consumer<String, byte[]>> consumers, Ticker ticker) {
    this.consumers = consumers;
    this.ticker = ticker;
  }

  @Override
  public Session open(Query query, Duration atMost) throws ScanException, InterruptedException {
    if (!permits.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new ScanException("no scan became free within " + atMost.toMillis() + " ms");
    }
    try {
      return new KafkaSession(query, take(), atMost);
    } catch (KafkaException | IllegalStateException e) {
      permits.release();
      throw unreadable(query, e);
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
    toClose.forEach(KafkaReplyScan::closeQuietly);
  }

  private Consumer<String, byte[]> take() {
    synchronized (this) {
      Consumer<String, byte[]> consumer = idle.poll();
      if (consumer != null) {
        return consumer;
      }
    }
    return consumers.get();
  }

  private void giveBack(Consumer<String, byte[]> consumer, boolean isHealthy) {
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
    permits.release();
  }

  private static void closeQuietly(Consumer<String, byte[]> consumer) {
    try {
      consumer.close(CloseOptions.timeout(CLOSE));
    } catch (KafkaException e) {
      // It held nothing but a connection.
    }
  }

  private static ScanException unreadable(Query query, Exception cause) {
    return new ScanException(
        "cannot read %s-%d: %s"
            .formatted(query.address().topic(), query.address().partition(), cause.getMessage()),
        cause);
  }

  private final class KafkaSession implements Session {
    private final Query query;
    private final Consumer<String, byte[]> consumer;
    private final TopicPartition partition;
    private final PartialReply reply = new PartialReply();
    private boolean healthy = true;

    KafkaSession(Query query, Consumer<String, byte[]> consumer, Duration atMost) {
      this.query = query;
      this.consumer = consumer;
      this.partition = new TopicPartition(query.address().topic(), query.address().partition());
      try {
        consumer.assign(List.of(partition));
        consumer.seek(partition, start(atMost));
      } catch (KafkaException | IllegalStateException e) {
        closeQuietly(consumer);
        throw e;
      }
    }

    @Override
    public void foldToEnd(Duration atMost) throws ScanException {
      try {
        long end = consumer.endOffsets(List.of(partition), atMost).getOrDefault(partition, 0L);
        fold(end, atMost);
      } catch (KafkaException e) {
        healthy = false;
        throw unreadable(query, e);
      }
    }

    @Override
    public void foldThrough(long offset, Duration atMost) throws ScanException {
      try {
        fold(offset + 1, atMost);
      } catch (KafkaException e) {
        healthy = false;
        throw unreadable(query, e);
      }
    }

    @Override
    public PartialReply reply() {
      return reply;
    }

    @Override
    public void close() {
      giveBack(consumer, healthy);
    }

    private long start(Duration atMost) {
      if (query.fromOffset().isPresent()) {
        return query.fromOffset().getAsLong();
      }
      var found = consumer.offsetsForTimes(Map.of(partition, query.fromTimeMillis()), atMost);
      return Optional.ofNullable(found.get(partition))
          .map(offset -> offset.offset())
          .orElseGet(() -> consumer.endOffsets(List.of(partition), atMost).get(partition));
    }

    private void fold(long end, Duration atMost) throws ScanException {
      long started = ticker.nanos();
      while (consumer.position(partition, atMost) < end) {
        if (ticker.since(started).compareTo(atMost) > 0) {
          throw new ScanException(
              "%s could not be read up to offset %d within %d ms"
                  .formatted(partition, end, atMost.toMillis()));
        }
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
          if (record.offset() >= end) {
            consumer.seek(partition, end);
            break;
          }
          take(record);
        }
      }
    }

    private void take(ConsumerRecord<String, byte[]> record) {
      boolean isOurs =
          HeaderText.get(record.headers(), HeaderNames.REQUEST_ID)
              .equals(Optional.of(query.requestId()));
      if (isOurs) {
        ReplyHeaders.parse(record.headers())
            .ifPresent(
                headers ->
                    reply.next(headers, record.value() == null ? new byte[0] : record.value()));
      }
    }
  }
}
