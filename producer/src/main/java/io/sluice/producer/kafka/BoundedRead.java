package io.sluice.producer.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads partitions from a time or an offset up to their end at the start of the reading. Not
 * thread-safe.
 */
public final class BoundedRead {
  /** The beginning of the exception's message when a reading exceeds its time limit. */
  public static final String TOO_LONG = "not read within ";

  /** Longer than Kafka needs to elect a new leader. */
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private static final Duration POLL = Duration.ofMillis(200);

  /** The range of offsets to read of a partition. */
  public record Range(long begin, long end) {}

  private final Consumer<String, byte[]> consumer;
  private final Duration lookupTimeout;
  private final LongSupplier nanoTime;

  public BoundedRead(
      Consumer<String, byte[]> consumer, Duration lookupTimeout, LongSupplier nanoTime) {
    this.consumer = consumer;
    this.lookupTimeout = lookupTimeout;
    this.nanoTime = nanoTime;
  }

  /** Returns the ranges of all existing records, or of all since a time. */
  public Map<TopicPartition, Range> ranges(
      Collection<TopicPartition> partitions, Optional<Instant> since) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, lookupTimeout);
    Map<TopicPartition, Long> begins = new HashMap<>();
    if (since.isPresent()) {
      Map<TopicPartition, Long> times = new HashMap<>();
      partitions.forEach(partition -> times.put(partition, since.get().toEpochMilli()));
      consumer
          .offsetsForTimes(times, lookupTimeout)
          .forEach((partition, found) -> begins.put(partition, offset(found, ends.get(partition))));
    } else {
      begins.putAll(consumer.beginningOffsets(partitions, lookupTimeout));
    }
    Map<TopicPartition, Range> ranges = new HashMap<>();
    for (TopicPartition partition : partitions) {
      Range range = new Range(begins.getOrDefault(partition, 0L), ends.getOrDefault(partition, 0L));
      if (range.begin() < range.end()) {
        ranges.put(partition, range);
      }
    }
    return ranges;
  }

  private static long offset(@Nullable OffsetAndTimestamp found, @Nullable Long end) {
    return found != null ? found.offset() : end == null ? 0 : end;
  }

  /**
   * Visits the records of these ranges, in order within a partition. Records that are deleted in
   * the meantime are skipped.
   *
   * @param limit how long the whole reading may take
   * @throws TimeoutException if it takes longer, or no record arrives for a while
   */
  public void read(
      Map<TopicPartition, Range> ranges,
      Duration limit,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> visitor) {
    long start = nanoTime.getAsLong();
    long heard = start;
    Map<TopicPartition, Range> left = new HashMap<>(ranges);
    consumer.assign(left.keySet());
    // Partitions that an earlier reading has finished are still paused.
    consumer.resume(left.keySet());
    left.forEach((partition, range) -> consumer.seek(partition, range.begin()));
    while (!left.isEmpty()) {
      long now = nanoTime.getAsLong();
      if (now - start > limit.toNanos()) {
        throw new TimeoutException(TOO_LONG + limit.toSeconds() + " s");
      }
      if (now - heard > SILENCE.toNanos()) {
        throw new TimeoutException("no record came for " + SILENCE.toSeconds() + " s");
      }
      if (poll(left, visitor)) {
        heard = nanoTime.getAsLong();
      }
      List<TopicPartition> done =
          left.entrySet().stream()
              .filter(
                  entry ->
                      consumer.position(entry.getKey(), lookupTimeout) >= entry.getValue().end())
              .map(Map.Entry::getKey)
              .toList();
      consumer.pause(done);
      done.forEach(left::remove);
    }
  }

  /** Returns whether a record arrived. */
  private boolean poll(
      Map<TopicPartition, Range> left,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> visitor) {
    try {
      ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
      for (ConsumerRecord<String, byte[]> record : records) {
        Range range = left.get(new TopicPartition(record.topic(), record.partition()));
        if (range != null && record.offset() < range.end()) {
          visitor.accept(record);
        }
      }
      return !records.isEmpty();
    } catch (InvalidOffsetException e) {
      consumer.seekToBeginning(e.partitions());
      return true;
    }
  }
}
