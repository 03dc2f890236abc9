package io.sluice.gateway.responses.record;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.RecordCache.Known;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.BoundedRead.Range;
import io.sluice.producer.kafka.ConsumerPool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Searches {@code sluice.responses} for the record of one response. Kafka's exceptions are left to
 * the caller. Thread-safe.
 */
final class RecordSearch {
  /** How far the clocks of gateways and brokers may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /** Kafka returns a record that is stored within this time, unless it is unwell. */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  private final ConsumerPool consumers;
  private final Duration lookupTimeout;
  private final Duration limit;
  private volatile int partitionCount;

  /**
   * A record and its offset.
   *
   * @param known the record
   */
  record Found(Known known, long offset) {}

  /**
   * @param lookupTimeout how long the lookup of an offset may take
   * @param limit how long a reading may take
   */
  RecordSearch(ConsumerPool consumers, Duration lookupTimeout, Duration limit) {
    this.consumers = consumers;
    this.lookupTimeout = lookupTimeout;
    this.limit = limit;
  }

  /** Reads the record at an offset; empty if it is not that of the response. */
  Optional<Known> at(long offset, String requestId) {
    return consumers.use(
        limit,
        consumer -> {
          TopicPartition partition = partition(requestId, consumer);
          try {
            consumer.assign(List.of(partition));
            consumer.resume(List.of(partition));
            consumer.seek(partition, offset);
            return consumer.poll(AT_ONCE).records(partition).stream()
                .findFirst()
                .flatMap(record -> parsed(record, requestId))
                .map(Found::known);
          } catch (InvalidOffsetException e) {
            return Optional.empty();
          }
        });
  }

  /** Searches for the record around the time in its id; empty if there is none. */
  Optional<Found> find(String requestId) {
    return consumers.use(limit, consumer -> find(requestId, consumer));
  }

  private Optional<Found> find(String requestId, Consumer<String, byte[]> consumer) {
    TopicPartition partition = partition(requestId, consumer);
    BoundedRead reading = new BoundedRead(consumer, lookupTimeout, System::nanoTime);
    Instant made = RequestId.timeOf(requestId).orElse(Instant.EPOCH);
    Optional<Range> since = range(partition, made.minus(CLOCK_SKEW), reading);
    if (since.isEmpty()) {
      return Optional.empty();
    }
    // Twice, because the record was written a while after its id was made.
    Optional<Range> after = range(partition, made.plus(CLOCK_SKEW).plus(CLOCK_SKEW), reading);
    long end = after.map(Range::begin).orElse(since.get().end());
    if (since.get().begin() >= end) {
      return Optional.empty();
    }
    List<Found> found = new ArrayList<>();
    reading.read(
        Map.of(partition, new Range(since.get().begin(), end)),
        limit,
        record -> parsed(record, requestId).ifPresent(found::add));
    return found.stream().findFirst();
  }

  private static Optional<Found> parsed(ConsumerRecord<String, byte[]> record, String requestId) {
    return requestId.equals(record.key())
        ? RecordFormat.parse(record.key(), record.value())
            .filter(CreatedResponse.class::isInstance)
            .map(CreatedResponse.class::cast)
            .map(created -> new Known(created, record.serializedValueSize()))
            .map(known -> new Found(known, record.offset()))
        : Optional.empty();
  }

  private static Optional<Range> range(
      TopicPartition partition, Instant since, BoundedRead reading) {
    Instant known = since.isAfter(Instant.EPOCH) ? since : Instant.EPOCH;
    return Optional.ofNullable(
        reading.ranges(List.of(partition), Optional.of(known)).get(partition));
  }

  private TopicPartition partition(String requestId, Consumer<String, byte[]> consumer) {
    if (partitionCount == 0) {
      List<PartitionInfo> partitions = consumer.partitionsFor(Topics.RESPONSES, lookupTimeout);
      if (partitions == null || partitions.isEmpty()) {
        throw new UnknownTopicOrPartitionException("Kafka has no topic " + Topics.RESPONSES);
      }
      partitionCount = partitions.size();
    }
    return new TopicPartition(Topics.RESPONSES, Partitions.of(requestId, partitionCount));
  }
}
