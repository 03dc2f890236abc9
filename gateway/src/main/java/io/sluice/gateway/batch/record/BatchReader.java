package io.sluice.gateway.batch.record;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.kafka.PollLoop;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Reads all batches from the log, on a thread of its own, until it is closed. Thread-safe. */
final class BatchReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(BatchReader.class);

  private final Consumer<String, byte[]> consumer;
  private final Admin admin;
  private final List<TopicPartition> partitions;
  private final BatchTable table;
  private final Clock clock;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition advanced = lock.newCondition();
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private @Nullable PollLoop loop;

  /** Used only by the thread that reads. */
  private boolean isUnreadableNoted;

  private BatchReader(
      Consumer<String, byte[]> consumer,
      Admin admin,
      List<TopicPartition> partitions,
      BatchTable table,
      Clock clock) {
    this.consumer = consumer;
    this.admin = admin;
    this.partitions = partitions;
    this.table = table;
    this.clock = clock;
  }

  /**
   * Starts to read the log from its beginning.
   *
   * @throws KafkaException if there is no such topic, or Kafka does not answer in time
   */
  static BatchReader start(
      Consumer<String, byte[]> consumer,
      Admin admin,
      Duration lookupTimeout,
      BatchTable table,
      Clock clock) {
    List<PartitionInfo> found = consumer.partitionsFor(Topics.BATCHES, lookupTimeout);
    if (found == null || found.isEmpty()) {
      throw new UnknownTopicOrPartitionException("Kafka has no topic " + Topics.BATCHES);
    }
    List<TopicPartition> partitions =
        found.stream().map(info -> new TopicPartition(info.topic(), info.partition())).toList();
    BatchReader reader = new BatchReader(consumer, admin, partitions, table, clock);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    reader.loop = PollLoop.start("sluice-batches", consumer, reader::poll);
    return reader;
  }

  int partitionCount() {
    return partitions.size();
  }

  void onChange(Runnable task) {
    listeners.add(task);
  }

  /**
   * Waits until all that is durable now was read.
   *
   * @throws BatchLogException if that takes too long or fails
   */
  void awaitCurrent(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    try {
      Map<TopicPartition, ListOffsetsResultInfo> ends =
          admin
              .listOffsets(
                  partitions.stream()
                      .collect(Collectors.toMap(partition -> partition, _ -> OffsetSpec.latest())))
              .all()
              .get(limit.toMillis(), TimeUnit.MILLISECONDS);
      lock.lockInterruptibly();
      try {
        while (!isRead(ends)) {
          long left = end - System.nanoTime();
          if (left <= 0) {
            throw new BatchLogException(
                "the batches were not read in time", new TimeoutException());
          }
          var _ = advanced.awaitNanos(left);
        }
      } finally {
        lock.unlock();
      }
    } catch (ExecutionException e) {
      throw new BatchLogException("the batches cannot be read: " + Reasons.of(e), e);
    } catch (TimeoutException e) {
      throw new BatchLogException("the batches cannot be read in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BatchLogException("interrupted", e);
    }
  }

  private boolean isRead(Map<TopicPartition, ListOffsetsResultInfo> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue().offset());
  }

  private void poll() {
    ConsumerRecords<String, byte[]> records;
    try {
      records = consumer.poll(POLL);
    } catch (InvalidOffsetException e) {
      consumer.seekToBeginning(e.partitions());
      return;
    }
    records.forEach(this::add);
    table.forgetBefore(clock.instant().minus(BatchTable.KEPT));
    Map<TopicPartition, Long> reached = new HashMap<>();
    partitions.forEach(partition -> reached.put(partition, consumer.position(partition)));
    lock.lock();
    try {
      positions.putAll(reached);
      advanced.signalAll();
    } finally {
      lock.unlock();
    }
    if (!records.isEmpty()) {
      listeners.forEach(Runnable::run);
    }
  }

  private void add(ConsumerRecord<String, byte[]> record) {
    BatchFormat.parse(record.value())
        .ifPresentOrElse(
            parsed -> table.add(record.partition(), parsed), () -> noteUnreadable(record));
  }

  /** Logged as an error once: a newer gateway may have written thousands of them. */
  private void noteUnreadable(ConsumerRecord<String, byte[]> record) {
    log.atLevel(isUnreadableNoted ? Level.DEBUG : Level.ERROR)
        .log(
            "event=batch_record_unreadable topic={} partition={} offset={} key={} effect=\"it is skipped; all other batches continue\" hint=\"if a later version wrote it, start that again\"",
            record.topic(),
            record.partition(),
            record.offset(),
            record.key());
    isUnreadableNoted = true;
  }

  @Override
  public void close() {
    if (loop != null) {
      loop.close();
    }
    admin.close(CLOSE_LIMIT);
  }
}
