package io.sluice.producer.client;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.follow.ReplyRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads a client's replies: a single partition, from where it ended when the client
 * was opened. It passes records to the streams in flight. It runs no code of callers and does not
 * block. It also ends the streams whose time is over.
 */
final class ReplyReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  /** Looking at all streams for each record would cost more than the records. */
  private static final Duration EXPIRE_EVERY = Duration.ofMillis(10);

  private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);
  private static final long CLOSE_WAIT_SECONDS = 5;
  private static final Logger log = LoggerFactory.getLogger(ReplyReader.class);

  private final Consumer<String, byte[]> consumer;
  private final InFlight streams;
  private final LongSupplier nanoTime;
  private final TopicPartition home;
  private final int partitionCount;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean isStarted = new AtomicBoolean();
  private long expiredNanos;
  private volatile long position;
  private volatile boolean isClosing;

  private ReplyReader(
      Consumer<String, byte[]> consumer,
      InFlight streams,
      LongSupplier nanoTime,
      TopicPartition home,
      int partitionCount,
      long position) {
    this.position = position;
    this.consumer = consumer;
    this.streams = streams;
    this.nanoTime = nanoTime;
    this.home = home;
    this.partitionCount = partitionCount;
    this.expiredNanos = nanoTime.getAsLong() - EXPIRE_EVERY.toNanos();
  }

  /**
   * Chooses a partition and fixes the position from which it is read, so that no reply to a later
   * request is missed.
   *
   * @throws KafkaException if Kafka does not respond in time, or has no reply topic, or one whose
   *     partitions are not those of the pool
   */
  static ReplyReader open(
      Consumer<String, byte[]> consumer,
      String topic,
      InFlight streams,
      LongSupplier nanoTime,
      RandomGenerator random,
      Duration timeout) {
    int partitions = partitions(consumer, topic, timeout);
    if (!topic.equals(Topics.REPLIES)) {
      requireThoseOfPool(partitions, topic, partitions(consumer, Topics.CONTROL, timeout));
    }
    TopicPartition home = new TopicPartition(topic, random.nextInt(partitions));
    consumer.assign(List.of(home));
    consumer.seekToEnd(List.of(home));
    long position = consumer.position(home, timeout);
    return new ReplyReader(consumer, streams, nanoTime, home, partitions, position);
  }

  private static int partitions(Consumer<?, ?> consumer, String topic, Duration timeout) {
    List<PartitionInfo> found = consumer.partitionsFor(topic, timeout);
    if (found == null || found.isEmpty()) {
      throw new UnknownTopicOrPartitionException(topic);
    }
    return found.size();
  }

  /** Ids are made for a partition of requests and replies alike. */
  private static void requireThoseOfPool(int partitions, String topic, int ofPool) {
    if (partitions != ofPool) {
      throw new InvalidPartitionsException(
          "topic %s has %d partitions, the pool's topics have %d: create it with as many"
              .formatted(topic, partitions, ofPool));
    }
  }

  /** Returns the partition that it reads. */
  TopicPartition home() {
    return home;
  }

  /** Returns the number of partitions of the pool's topics. */
  int partitionCount() {
    return partitionCount;
  }

  /** Returns an offset of its partition before which all records have been read. */
  long position() {
    return position;
  }

  void start() {
    isStarted.set(true);
    Thread.ofPlatform().daemon().name("sluice-replies").start(this::run);
  }

  private void run() {
    try {
      pollUntilClosing();
    } catch (WakeupException | InterruptException e) {
      log.debug("event=reply_reader_stopped");
    } catch (RuntimeException | Error e) {
      log.error("event=reply_reader_failed", e);
      streams.closeWith("replies can no longer be read: " + Reasons.of(e));
    } finally {
      ended.countDown();
    }
  }

  private void pollUntilClosing() {
    try {
      while (!isClosing) {
        pollOnce();
      }
    } finally {
      GrouplessConsumers.close(consumer);
    }
  }

  /** Performs one turn: passes on the new records, and ends the streams that are overdue. */
  void pollOnce() {
    try {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        ReplyRecord.of(record).ifPresent(streams::deliver);
        position = record.offset() + 1;
      }
    } catch (InvalidOffsetException e) {
      log.warn("event=replies_lost partition={} reason=\"{}\"", home, e.getMessage());
      streams.failAll(
          ErrorKind.REPLY_TRUNCATED, "replies were deleted from Kafka before they were read");
      consumer.seekToEnd(List.of(home));
    } catch (RetriableException e) {
      log.warn("event=reply_poll_failed reason=\"{}\"", e.getMessage());
    } catch (WakeupException | InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      // Such as an error of authentication while credentials are changed: it may pass.
      log.warn("event=reply_poll_failed reason=\"{}\"", Reasons.of(e));
      LockSupport.parkNanos(AGAIN_AFTER.toNanos());
    }
    expire(nanoTime.getAsLong());
  }

  private void expire(long nowNanos) {
    if (nowNanos - expiredNanos >= EXPIRE_EVERY.toNanos()) {
      expiredNanos = nowNanos;
      streams.expire(nowNanos);
    }
  }

  @Override
  public void close() {
    isClosing = true;
    if (!isStarted.get()) {
      GrouplessConsumers.close(consumer);
      return;
    }
    consumer.wakeup();
    try {
      if (!ended.await(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
        log.warn("event=reply_reader_slow_to_close");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
