package io.sluice.gateway.responses.record;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.BoundedRead.Range;
import io.sluice.producer.kafka.ConsumerPool;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
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
  /** How far the clocks of gateways may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /** Kafka returns a record that is stored within this time, unless it is unwell. */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  /** Records that are read before a search looks whether it may end: as many as one poll gives. */
  private static final long AT_A_TIME = 500;

  private final ConsumerPool consumers;
  private final Duration lookupTimeout;
  private final Duration limit;
  private volatile int partitionCount;

  /** A record and its offset. */
  record Found(StoredResponse stored, long offset) {}

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
  Optional<Found> at(long offset, String requestId) {
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
                .flatMap(record -> parsed(record, requestId));
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
    Range all = reading.ranges(List.of(partition), Optional.empty()).get(partition);
    if (all == null) {
      return Optional.empty();
    }
    Instant made = RequestId.timeOf(requestId).orElse(Instant.EPOCH);
    var sighting = new Sighting(requestId, made.plus(CLOCK_SKEW));
    long at = lastBefore(made.minus(CLOCK_SKEW), all, partition, reading);
    while (at < all.end() && !sighting.isOver()) {
      Range next = new Range(at, Math.min(at + AT_A_TIME, all.end()));
      reading.read(Map.of(partition, next), limit, sighting::take);
      at = next.end();
    }
    return sighting.found();
  }

  /**
   * Returns an offset before which all ids were made before a time, and which is close to that
   * time. The times of the ids tell, not those of the records: the clock of a broker may have been
   * hours ahead or behind for a moment, and ids follow the clocks of gateways.
   */
  private long lastBefore(
      Instant time, Range range, TopicPartition partition, BoundedRead reading) {
    long low = range.begin();
    long high = range.end();
    while (high - low > AT_A_TIME) {
      long middle = low + (high - low) / 2;
      AtomicBoolean isLater = new AtomicBoolean();
      reading.read(
          Map.of(partition, new Range(middle, middle + 1)),
          limit,
          record -> isLater.set(madeAt(record).filter(time::isAfter).isEmpty()));
      if (isLater.get()) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  /** Returns when the record's id was made. */
  private static Optional<Instant> madeAt(ConsumerRecord<String, byte[]> record) {
    return Optional.ofNullable(record.key()).flatMap(RequestId::timeOf);
  }

  /** Looks for a record among those that follow each other, until it cannot come any more. */
  private static final class Sighting {
    private final String requestId;
    private final Instant last;
    private Optional<Found> found = Optional.empty();
    private boolean isPast;

    Sighting(String requestId, Instant last) {
      this.requestId = requestId;
      this.last = last;
    }

    void take(ConsumerRecord<String, byte[]> record) {
      found = found.or(() -> parsed(record, requestId));
      isPast |= madeAt(record).filter(last::isBefore).isPresent();
    }

    boolean isOver() {
      return found.isPresent() || isPast;
    }

    Optional<Found> found() {
      return found;
    }
  }

  private static Optional<Found> parsed(ConsumerRecord<String, byte[]> record, String requestId) {
    return requestId.equals(record.key())
        ? StoredResponse.of(requestId, record.value())
            .map(stored -> new Found(stored, record.offset()))
        : Optional.empty();
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
