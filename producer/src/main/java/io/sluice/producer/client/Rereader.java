package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.kafka.KafkaErrors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads parts of reply partitions a second time, for slow readers and for answers on other
 * partitions. One thread with one consumer serves its followers in turns of bounded length; both
 * exist only while there are followers. A client has at most one follower per stream here, so the
 * queue is bounded by the number of streams. Thread-safe.
 */
final class Rereader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  /** A fetch of a consumer for lookups ends before, also without a record. */
  private static final Duration POLL_BEFORE_OTHERS = Duration.ofMillis(25);

  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final int RECORDS_PER_TURN = 10_000;
  private static final Logger log = LoggerFactory.getLogger(Rereader.class);

  private final Supplier<Consumer<String, byte[]>> consumers;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<Follower> waiting = new ArrayDeque<>();
  private boolean isRunning;
  private boolean isClosed;

  Rereader(Supplier<Consumer<String, byte[]>> consumers) {
    this.consumers = consumers;
  }

  /** Serves a follower until it is done or takes no more. */
  void follow(Follower follower) {
    boolean isRefused;
    lock.lock();
    try {
      isRefused = isClosed;
      if (!isClosed) {
        waiting.add(follower);
        changed.signal();
        if (!isRunning) {
          isRunning = true;
          Thread.ofPlatform().daemon().name("sluice-rereader").start(this::run);
        }
      }
    } finally {
      lock.unlock();
    }
    if (isRefused) {
      follower.failed(ErrorKind.UNAVAILABLE, "the client was closed");
    }
  }

  private void run() {
    try (Consumer<String, byte[]> consumer = consumers.get()) {
      Follower follower = awaitFollower();
      while (follower != null) {
        if (!follower.isDone() && serve(consumer, follower) && !follower.isDone()) {
          follow(follower);
        }
        follower = awaitFollower();
      }
    } catch (KafkaException e) {
      log.warn("event=rereader_failed", e);
      stop(KafkaErrors.rootMessage(e));
    }
  }

  /** Returns the next follower; null when the thread should end. */
  private @Nullable Follower awaitFollower() {
    long left = IDLE.toNanos();
    lock.lock();
    try {
      while (waiting.isEmpty() && !isClosed && left > 0) {
        left = changed.awaitNanos(left);
      }
      Follower next = isClosed ? null : waiting.poll();
      isRunning = next != null;
      return next;
    } catch (InterruptedException e) {
      isRunning = false;
      return null;
    } finally {
      lock.unlock();
    }
  }

  private boolean isAnyWaiting() {
    lock.lock();
    try {
      return !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void stop(String reason) {
    List<Follower> stranded;
    lock.lock();
    try {
      stranded = List.copyOf(waiting);
      waiting.clear();
      isRunning = false;
    } finally {
      lock.unlock();
    }
    stranded.forEach(follower -> follower.failed(ErrorKind.UNAVAILABLE, reason));
  }

  /** Performs one turn; returns whether the follower needs another. */
  private boolean serve(Consumer<String, byte[]> consumer, Follower follower) {
    try {
      position(consumer, follower);
      return readOut(consumer, follower);
    } catch (InvalidOffsetException e) {
      follower.failed(
          ErrorKind.REPLY_TRUNCATED, "the unread part of the answer is no longer in Kafka");
    } catch (KafkaException | IllegalStateException e) {
      log.warn("event=reread_failed reason=\"{}\"", e.getMessage());
      follower.failed(
          ErrorKind.UNAVAILABLE, "the answer cannot be read: " + KafkaErrors.rootMessage(e));
    }
    return false;
  }

  private static void position(Consumer<String, byte[]> consumer, Follower follower) {
    TopicPartition partition = follower.partition();
    consumer.assign(List.of(partition));
    if (follower.nextOffset().isPresent()) {
      consumer.seek(partition, follower.nextOffset().getAsLong());
      return;
    }
    follower.endedAt(
        consumer.endOffsets(List.of(partition), LOOKUP_TIMEOUT).getOrDefault(partition, 0L));
    OffsetAndTimestamp found =
        consumer
            .offsetsForTimes(Map.of(partition, follower.since().toEpochMilli()), LOOKUP_TIMEOUT)
            .get(partition);
    if (found == null) {
      consumer.seekToEnd(List.of(partition));
    } else {
      consumer.seek(partition, found.offset());
    }
    follower.advanced(consumer.position(partition, LOOKUP_TIMEOUT));
  }

  private boolean readOut(Consumer<String, byte[]> consumer, Follower follower) {
    int read = 0;
    while (read < RECORDS_PER_TURN) {
      ConsumerRecords<String, byte[]> records =
          consumer.poll(isAnyWaiting() ? POLL_BEFORE_OTHERS : POLL);
      if (records.isEmpty()) {
        follower.idle();
        return true;
      }
      for (ConsumerRecord<String, byte[]> record : records) {
        boolean wantsMore = ReplyRecord.of(record).map(follower::accept).orElse(true);
        if (!wantsMore) {
          return false;
        }
        follower.advanced(record.offset() + 1);
      }
      read += records.count();
    }
    return true;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    stop("the client was closed");
  }
}
