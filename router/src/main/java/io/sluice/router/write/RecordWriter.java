package io.sluice.router.write;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.time.RepeatingThread;
import io.sluice.router.catalog.TopicDirectory;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes everything that a router sends except its changelogs, and reports when it is in the log.
 * Guarantees:
 *
 * <ul>
 *   <li>No call blocks, whatever happens to topics and brokers. The producer, which may wait for
 *       metadata or buffer space, is called on threads of the writer.
 *   <li>Records of one partition are written in the order of the calls.
 *   <li>A partition that cannot be written does not block any other one ({@link Destination}).
 *   <li>Every write completes: in the log, or as a failure in its time. A failed record may be in
 *       the log nevertheless.
 * </ul>
 *
 * <p>It is also a directory of topics: it {@linkplain #takes does not report} a topic as reachable
 * while writes to it fail. Shared by all tasks; thread-safe.
 */
public final class RecordWriter implements TopicDirectory, AutoCloseable {
  /** The maximum that waits or is in flight. Further records fail at once. */
  static final long MOST_BYTES = 32L * 1024 * 1024;

  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(3);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Logger log = LoggerFactory.getLogger(RecordWriter.class);

  private final Producer<String, byte[]> producer;
  private final TopicDirectory topics;
  private final Executor threads;
  private final LongSupplier nanoClock;
  private final Runnable onClose;
  private final AtomicLong bytes = new AtomicLong();
  private final ConcurrentMap<TopicPartition, Destination> destinations = new ConcurrentHashMap<>();

  /**
   * Creates a writer whose {@link #tick} the caller runs.
   *
   * @param threads run the calls to the producer, which may block
   */
  public RecordWriter(
      Producer<String, byte[]> producer,
      TopicDirectory topics,
      Executor threads,
      LongSupplier nanoClock) {
    this(producer, topics, threads, nanoClock, () -> {});
  }

  private RecordWriter(
      Producer<String, byte[]> producer,
      TopicDirectory topics,
      Executor threads,
      LongSupplier nanoClock,
      Runnable onClose) {
    this.producer = producer;
    this.topics = topics;
    this.threads = threads;
    this.nanoClock = nanoClock;
    this.onClose = onClose;
  }

  /**
   * Creates a running writer.
   *
   * @param producer idempotent, with acks=all and bounded timeouts; the caller keeps owning it
   * @param topics the topics that exist; a record for another topic fails at once
   */
  public static RecordWriter start(Producer<String, byte[]> producer, TopicDirectory topics) {
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("write-", 0).factory());
    var ticks = new RepeatingThread("record-writer");
    Runnable stop =
        () -> {
          ticks.close();
          threads.shutdownNow();
        };
    var writer = new RecordWriter(producer, topics, threads, System::nanoTime, stop);
    var _ = ticks.repeat(TICK, TICK, writer::tick);
    return writer;
  }

  /**
   * Sends one record, and returns at once.
   *
   * @param record names its partition
   * @param within how long the record is useful; a record that is not in the log by then has failed
   * @return completes once the record is in the log, exceptionally if it could not be written; on
   *     any thread, including the caller's
   */
  public CompletableFuture<Void> write(ProducerRecord<String, byte[]> record, Duration within) {
    var destination = new TopicPartition(record.topic(), record.partition());
    var write = new Write(record, nanoClock.getAsLong() + within.toNanos());
    if (!exists(destination)) {
      write.fail(new UnknownTopicOrPartitionException("there is no " + destination));
    } else if (bytes.addAndGet(write.bytes()) > MOST_BYTES) {
      bytes.addAndGet(-write.bytes());
      write.fail(full("the router"));
    } else {
      var _ = write.written().whenComplete((none, failure) -> bytes.addAndGet(-write.bytes()));
      enqueue(destination, write);
    }
    return write.written();
  }

  private void enqueue(TopicPartition partition, Write write) {
    long now = nanoClock.getAsLong();
    boolean[] isAdded = {false};
    // Within compute, so that a destination is not dropped while it is given a record.
    Destination destination =
        destinations.compute(
            partition,
            (same, known) -> {
              Destination found = known == null ? new Destination(producer, threads) : known;
              isAdded[0] = found.tryAdd(write, now);
              return found;
            });
    if (isAdded[0]) {
      destination.pump(now);
    } else {
      write.fail(full(partition.toString()));
    }
  }

  private static KafkaException full(String whose) {
    return new KafkaException(
        "the write buffer of %s is full; the record was not sent".formatted(whose));
  }

  @Override
  public OptionalInt partitions(String topic) {
    return topics.partitions(topic);
  }

  /** Returns the partition of a key; the first one for an unknown topic. */
  public int partition(String topic, String key) {
    return Partitions.of(key, partitions(topic).orElse(1));
  }

  @Override
  public boolean takes(String topic) {
    Destination first = destinations.get(new TopicPartition(topic, 0));
    return topics.takes(topic)
        && bytes.get() < MOST_BYTES
        && (first == null || first.takes(nanoClock.getAsLong()));
  }

  /** Returns the bytes that wait or are in flight. */
  public long bytes() {
    return bytes.get();
  }

  /** Time has passed. Call this a few times per second. */
  public void tick() {
    long now = nanoClock.getAsLong();
    destinations.forEach(
        (partition, destination) -> {
          if (!exists(partition)) {
            destination.failAll(new UnknownTopicOrPartitionException(partition + " is gone"));
          }
          destination.expire(now);
          destination.pump(now);
          destinations.computeIfPresent(
              partition, (same, known) -> known.isForgettable(now) ? null : known);
        });
  }

  /** Waits briefly for records in flight, because a lost assignment costs its request seconds. */
  @Override
  public void close() {
    CompletableFuture<?>[] left =
        destinations.values().stream()
            .flatMap(destination -> destination.unwritten().stream())
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(left).get(CLOSE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.info("event=records_left_unwritten count={}", left.length);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onClose.run();
  }

  private boolean exists(TopicPartition partition) {
    OptionalInt count = topics.partitions(partition.topic());
    return count.isPresent() && partition.partition() < count.getAsInt();
  }
}
