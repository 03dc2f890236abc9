package io.sluice.gateway.responses.record;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.BoundedRead.Range;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The ids in {@code sluice.responses.deleted}. All of it is read once, and then what was written
 * since. The newest ids are remembered; an older one is searched for when it is asked for. Kafka's
 * exceptions are left to the caller. Thread-safe.
 */
final class Deletions implements AutoCloseable {
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final Consumer<String, byte[]> consumer;
  private final BoundedRead reading;
  private final Duration lookupTimeout;
  private final Duration limit;
  private final int remembered;
  private final AtomicLong questions = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final TreeSet<String> ids = new TreeSet<>();
  private List<TopicPartition> partitions = List.of();

  /** The newest id that was forgotten. */
  private volatile String forgotten = "";

  private long answered;
  private long failed;
  private @Nullable KafkaException failure;

  /**
   * @param limit how long a reading may take
   * @param remembered how many ids are remembered
   */
  Deletions(
      Consumer<String, byte[]> consumer, Duration lookupTimeout, Duration limit, int remembered) {
    this.consumer = consumer;
    this.reading = new BoundedRead(consumer, lookupTimeout, System::nanoTime);
    this.lookupTimeout = lookupTimeout;
    this.limit = limit;
    this.remembered = remembered;
  }

  /**
   * Returns whether a response has been deleted. Those who ask at the same time share one reading,
   * and its failure.
   */
  boolean contains(String requestId) {
    long question = questions.incrementAndGet();
    acquire();
    try {
      if (answered < question) {
        answer(question);
      }
      return ids.contains(requestId) || (mustSearch(requestId) && isStored(requestId));
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the ids in memory do not tell that a response has not been deleted. */
  boolean mustSearch(String requestId) {
    return requestId.compareTo(forgotten) <= 0;
  }

  private void acquire() {
    try {
      if (!lock.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new TimeoutException("other questions take too long");
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private void answer(long question) {
    if (failure != null && question <= failed) {
      throw failure;
    }
    long asked = questions.get();
    try {
      readOn();
      answered = asked;
    } catch (KafkaException e) {
      failed = questions.get();
      failure = e;
      throw e;
    }
  }

  private void readOn() {
    if (partitions.isEmpty()) {
      partitions = lookUpPartitions();
    }
    if (partitions.isEmpty()) {
      return;
    }
    Map<TopicPartition, Range> unread = new HashMap<>();
    consumer
        .endOffsets(partitions, lookupTimeout)
        .forEach(
            (partition, end) -> {
              long begin = positions.getOrDefault(partition, 0L);
              if (begin < end) {
                unread.put(partition, new Range(begin, end));
              }
            });
    if (!unread.isEmpty()) {
      reading.read(unread, limit, this::remember);
      // Also over what retention has deleted.
      unread.forEach((partition, range) -> positions.put(partition, range.end()));
    }
  }

  private void remember(ConsumerRecord<String, byte[]> record) {
    if (record.key() != null) {
      ids.add(record.key());
    }
    if (ids.size() > remembered) {
      String oldest = ids.removeFirst();
      forgotten = oldest.compareTo(forgotten) > 0 ? oldest : forgotten;
    }
    positions.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
  }

  private boolean isStored(String requestId) {
    TopicPartition partition = partitions.get(Partitions.of(requestId, partitions.size()));
    Instant made = RequestId.timeOf(requestId).orElse(Instant.EPOCH).minus(CLOCK_SKEW);
    Instant since = made.isAfter(Instant.EPOCH) ? made : Instant.EPOCH;
    AtomicBoolean isFound = new AtomicBoolean();
    Map<TopicPartition, Range> range = reading.ranges(List.of(partition), Optional.of(since));
    if (!range.isEmpty()) {
      reading.read(
          range, limit, record -> isFound.compareAndSet(false, requestId.equals(record.key())));
    }
    return isFound.get();
  }

  /** None if the pool is of a version that stores no deletions. */
  private List<TopicPartition> lookUpPartitions() {
    List<PartitionInfo> known = consumer.partitionsFor(Topics.DELETED_RESPONSES, lookupTimeout);
    int count = known == null ? 0 : known.size();
    return IntStream.range(0, count)
        .mapToObj(number -> new TopicPartition(Topics.DELETED_RESPONSES, number))
        .toList();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      GrouplessConsumers.close(consumer);
    } finally {
      lock.unlock();
    }
  }
}
