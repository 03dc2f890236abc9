package io.sluice.router.write;

import io.sluice.common.protocol.Partitions;
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
import java.util.concurrent.ScheduledExecutorService;
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
 * Writes all that a router sends, other than its changelogs, and says when it is in the log.
 * Guarantees:
 *
 * <ul>
 *   <li>no call blocks, whatever becomes of topics and brokers: the producer, which may wait for
 *       metadata or room, is called on threads of the writer's own;
 *   <li>records of one partition are written in the order of the calls;
 *   <li>a partition that takes nothing holds up no other one ({@link Destination});
 *   <li>every write ends: in the log, or as a failure in its time. What failed may be in the log
 *       all the same.
 * </ul>
 *
 * <p>It is also a directory of topics: it {@linkplain #takes} no topic for reachable whose writes
 * do not get through. Shared by all tasks; thread-safe.
 */
public final class RecordWriter implements TopicDirectory, AutoCloseable {
  /** All that waits or is under way; beyond it what comes fails at once. */
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
   * A writer whose {@link #tick} somebody else calls.
   *
   * @param threads where the producer is called; may block
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
   * A writer at work.
   *
   * @param producer idempotent, with acks=all and bounded time-outs; stays its opener's
   * @param topics the topics that exist; what is for another one fails at once
   */
  public static RecordWriter start(Producer<String, byte[]> producer, TopicDirectory topics) {
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("write-", 0).factory());
    ScheduledExecutorService ticks =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("record-writer").factory());
    Runnable stop =
        () -> {
          ticks.shutdownNow();
          threads.shutdownNow();
        };
    var writer = new RecordWriter(producer, topics, threads, System::nanoTime, stop);
    var _ =
        ticks.scheduleWithFixedDelay(
            writer::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    return writer;
  }

  /**
   * Sends one record. Returns at once.
   *
   * @param record names its partition
   * @param within how long the record is of use; what is not in the log by then has failed
   * @return completes once the record is in the log, exceptionally if it could not be written; on
   *     any thread, the caller's included
   */
  public CompletableFuture<Void> write(ProducerRecord<String, byte[]> record, Duration within) {
    var destination = new TopicPartition(record.topic(), record.partition());
    var write = new Write(record, nanoClock.getAsLong() + within.toNanos());
    if (!exists(destination)) {
      write.fail(new UnknownTopicOrPartitionException("there is no " + destination));
    } else if (bytes.addAndGet(write.bytes()) > MOST_BYTES) {
      bytes.addAndGet(-write.bytes());
      write.fail(new KafkaException("too much waits to be written already"));
    } else {
      var _ = write.written().whenComplete((none, failure) -> bytes.addAndGet(-write.bytes()));
      enqueue(destination, write);
    }
    return write.written();
  }

  private void enqueue(TopicPartition partition, Write write) {
    // Within compute, so that no destination is forgotten that is just given something.
    Destination destination =
        destinations.compute(
            partition,
            (same, known) -> {
              Destination found = known == null ? new Destination(producer, threads) : known;
              found.add(write);
              return found;
            });
    destination.pump(nanoClock.getAsLong());
  }

  @Override
  public OptionalInt partitions(String topic) {
    return topics.partitions(topic);
  }

  /** The partition to which a key belongs; the first of a topic that is not known. */
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

  /** Bytes that wait or are under way. */
  public long bytes() {
    return bytes.get();
  }

  /** Time has passed; to be called a few times per second. */
  public void tick() {
    try {
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
    } catch (RuntimeException e) {
      // An exception that left this method would end the ticks for good.
      log.error("event=record_writer_broken", e);
    }
  }

  /** Waits a little for what is under way: an assignment that is lost costs its request seconds. */
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
