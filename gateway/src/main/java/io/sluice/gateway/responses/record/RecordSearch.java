package io.sluice.gateway.responses.record;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.RecordCache.Known;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.BoundedRead.Range;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Searches {@code sluice.responses} for the records of one response. Kafka's exceptions are left to
 * the caller. Not thread-safe.
 */
final class RecordSearch {
  /** How far the clocks of gateways and brokers may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final Consumer<String, byte[]> consumer;
  private final BoundedRead reading;
  private final Duration lookupTimeout;
  private final Duration limit;
  private int partitionCount;

  /**
   * @param lookupTimeout how long the lookup of an offset may take
   * @param limit how long a reading may take
   */
  RecordSearch(Consumer<String, byte[]> consumer, Duration lookupTimeout, Duration limit) {
    this.consumer = consumer;
    this.reading = new BoundedRead(consumer, lookupTimeout, System::nanoTime);
    this.lookupTimeout = lookupTimeout;
    this.limit = limit;
  }

  /** Searches for the record around the time in its id; empty if there is none. */
  Optional<Known> find(String requestId) {
    TopicPartition partition = partition(requestId);
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

  /** Returns what is known of a response after what was written since. */
  Known latest(String requestId, Known known) {
    if (known.created().isEmpty()) {
      return known;
    }
    TopicPartition partition = partition(requestId);
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
    reading.read(Map.of(partition, range), limit, latest::visit);
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
            .map(parsed -> Known.of(parsed, record.offset() + 1, record.serializedValueSize()))
            .ifPresent(found -> known = Optional.of(found));
      }
    }
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
        throw new UnknownTopicOrPartitionException("Kafka has no topic " + Topics.RESPONSES);
      }
      partitionCount = partitions.size();
    }
    return new TopicPartition(Topics.RESPONSES, Partitions.of(requestId, partitionCount));
  }
}
