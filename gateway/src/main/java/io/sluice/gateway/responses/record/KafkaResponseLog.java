package io.sluice.gateway.responses.record;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.RecordCache.Known;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.BoundedRead.Range;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The log in {@code sluice.responses}. A record is found by the time in its id, and what was
 * written to its partition since then tells whether it was deleted. Records that were used before
 * are remembered with the position up to which the partition was read. Thread-safe.
 */
public final class KafkaResponseLog implements ResponseLog, AutoCloseable {
  /** How far the clocks of gateways and brokers may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private static final Duration WRITE_LIMIT = Duration.ofSeconds(35);
  private static final Duration READ_LIMIT = Duration.ofSeconds(20);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Producer<String, byte[]> producer;
  private final Consumer<String, byte[]> consumer;
  private final BoundedRead reading;
  private final Duration lookupTimeout;
  private final RecordCache cache;
  private final ReentrantLock lock = new ReentrantLock();
  private int partitionCount;

  KafkaResponseLog(
      Producer<String, byte[]> producer,
      Consumer<String, byte[]> consumer,
      Duration lookupTimeout,
      long cacheBytes) {
    this.producer = producer;
    this.consumer = consumer;
    this.lookupTimeout = lookupTimeout;
    this.reading = new BoundedRead(consumer, lookupTimeout, System::nanoTime);
    this.cache = new RecordCache(cacheBytes);
  }

  /**
   * Opens the log; nothing is read yet.
   *
   * @param cacheBytes how many bytes of records are remembered
   */
  public static KafkaResponseLog open(ClientConfig config, long cacheBytes) {
    return new KafkaResponseLog(
        KafkaSettings.producer(config),
        KafkaSettings.lookupConsumer(config),
        config.connectTimeout(),
        cacheBytes);
  }

  @Override
  public void append(ResponseRecord record) {
    byte[] json = RecordFormat.toJson(record);
    try {
      RecordMetadata place =
          RecordSend.send(
                  producer, new ProducerRecord<>(Topics.RESPONSES, record.requestId(), json))
              .get(WRITE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      cache.put(record.requestId(), known(record, place.offset() + 1, json.length));
    } catch (ExecutionException e) {
      Exception cause = e.getCause() instanceof Exception inner ? inner : e;
      throw new ResponseLogException(
          KafkaErrors.kindOf(cause),
          "the response could not be stored: " + KafkaErrors.rootMessage(cause),
          cause);
    } catch (TimeoutException e) {
      throw unavailable("the response could not be stored in time", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public Optional<CreatedResponse> find(String requestId) {
    try {
      if (!lock.tryLock(READ_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw unavailable("too many responses are looked for at once", null);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    try {
      TopicPartition partition = partition(requestId);
      Optional<Known> known =
          cache
              .get(requestId)
              .or(() -> search(partition, requestId))
              .map(found -> latest(partition, requestId, found));
      known.ifPresent(now -> cache.put(requestId, now));
      return known.flatMap(Known::created);
    } catch (KafkaException e) {
      throw unavailable("the response cannot be read: " + KafkaErrors.rootMessage(e), e);
    } finally {
      lock.unlock();
    }
  }

  /** Searches for the record around the time in its id. */
  private Optional<Known> search(TopicPartition partition, String requestId) {
    Instant made = RequestId.timeOf(requestId).orElse(Instant.EPOCH);
    Optional<Range> since = range(partition, made.minus(CLOCK_SKEW));
    if (since.isEmpty()) {
      return Optional.empty();
    }
    // Twice, because the record was written a while after its id was made.
    Optional<Range> after = range(partition, made.plus(CLOCK_SKEW).plus(CLOCK_SKEW));
    long end = after.map(Range::begin).orElse(since.get().end());
    return read(partition, requestId, new Range(since.get().begin(), end), Optional.empty());
  }

  /** Reads what was written since. */
  private Known latest(TopicPartition partition, String requestId, Known known) {
    if (known.created().isEmpty()) {
      return known;
    }
    long end = consumer.endOffsets(List.of(partition), lookupTimeout).getOrDefault(partition, 0L);
    return read(partition, requestId, new Range(known.nextOffset(), end), Optional.of(known))
        .orElse(known)
        .readUpTo(end);
  }

  private Optional<Known> read(
      TopicPartition partition, String requestId, Range range, Optional<Known> before) {
    if (range.begin() >= range.end()) {
      return before;
    }
    Latest latest = new Latest(requestId, before);
    reading.read(Map.of(partition, range), READ_LIMIT, latest::visit);
    return latest.known;
  }

  /** What the records of one response say, read in order. */
  private static final class Latest {
    private final String requestId;
    private Optional<Known> known;

    Latest(String requestId, Optional<Known> before) {
      this.requestId = requestId;
      this.known = before;
    }

    void visit(ConsumerRecord<String, byte[]> record) {
      if (requestId.equals(record.key())) {
        RecordFormat.parse(record.key(), record.value())
            .map(parsed -> known(parsed, record.offset() + 1, record.serializedValueSize()))
            .ifPresent(found -> known = Optional.of(found));
      }
    }
  }

  private static Known known(ResponseRecord record, long nextOffset, int bytes) {
    return switch (record) {
      case CreatedResponse created -> new Known(Optional.of(created), nextOffset, bytes);
      case DeletedResponse _ -> Known.deleted();
    };
  }

  private Optional<Range> range(TopicPartition partition, Instant since) {
    Instant known = since.isAfter(Instant.EPOCH) ? since : Instant.EPOCH;
    return Optional.ofNullable(
        reading.ranges(List.of(partition), Optional.of(known)).get(partition));
  }

  private TopicPartition partition(String requestId) {
    if (partitionCount == 0) {
      List<PartitionInfo> partitions = consumer.partitionsFor(Topics.RESPONSES, lookupTimeout);
      if (partitions == null || partitions.isEmpty()) {
        throw unavailable("Kafka has no topic " + Topics.RESPONSES, null);
      }
      partitionCount = partitions.size();
    }
    return new TopicPartition(Topics.RESPONSES, Partitions.of(requestId, partitionCount));
  }

  private static ResponseLogException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return unavailable("interrupted", e);
  }

  private static ResponseLogException unavailable(String message, @Nullable Exception cause) {
    return new ResponseLogException(ErrorKind.UNAVAILABLE, message, cause);
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
    lock.lock();
    try {
      consumer.close();
    } finally {
      lock.unlock();
    }
  }
}
