package io.sluice.producer.client;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads parts of reply partitions a second time, for slow readers and for answers on other
 * partitions. One thread with one consumer serves all followers; both exist only while there are
 * any. Followers that are behind are served in turns of bounded length; those that have caught up
 * are served {@linkplain LiveFollowers together}. A stream has at most two followers, one for its
 * records and one for its slow reader, so the queue is bounded by the number of streams.
 * Thread-safe.
 */
final class Rereader {
  static final String UNREADABLE = "the answer cannot be read: ";
  static final String TRUNCATED = "the unread part of the answer is no longer in Kafka";

  private static final Duration POLL = Duration.ofMillis(100);

  /** A fetch of a consumer for lookups ends before, also without a record. */
  private static final Duration SHORT_POLL = Duration.ofMillis(60);

  /** How long followers that are behind are served, and then those that have caught up. */
  private static final Duration TURN = Duration.ofMillis(100);

  /** A follower with at most so many records before it has caught up. */
  private static final long NEAR_RECORDS = 2_000;

  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(Rereader.class);

  private final Supplier<Consumer<String, byte[]>> consumers;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<FollowerGroup> waiting = new ArrayDeque<>();
  private boolean isRunning;
  private boolean isClosed;
  private volatile String closedBecause = "the client was closed";

  Rereader(Supplier<Consumer<String, byte[]>> consumers) {
    this.consumers = consumers;
  }

  /** Serves a follower until it is done or takes no more. */
  void follow(Follower follower) {
    if (!tryFollow(new FollowerGroup(follower))) {
      follower.failed(ErrorKind.UNAVAILABLE, closedBecause);
    }
  }

  private boolean tryFollow(FollowerGroup group) {
    lock.lock();
    try {
      if (!isClosed) {
        waiting.add(group);
        changed.signal();
        if (!isRunning) {
          isRunning = true;
          Thread.ofPlatform().daemon().name("sluice-rereader").start(this::run);
        }
      }
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try (Consumer<String, byte[]> consumer = consumers.get()) {
      var live = new LiveFollowers(consumer, this::followAgain);
      try {
        while (awaitWork(live)) {
          catchUp(consumer, live);
          readLive(live);
        }
        live.fail(closedBecause);
      } catch (RuntimeException e) {
        live.fail(UNREADABLE + Reasons.of(e));
        throw e;
      }
    } catch (RuntimeException e) {
      log.warn("event=rereader_failed", e);
      stop(Reasons.of(e));
    }
  }

  /** Serves those that have caught up, for a limited time if others wait. */
  private void readLive(LiveFollowers live) {
    long beganNanos = System.nanoTime();
    boolean isMore = !live.isEmpty();
    while (isMore) {
      isMore = live.poll(isAnyWaiting() ? SHORT_POLL : POLL);
      isMore &= !isAnyWaiting() || System.nanoTime() - beganNanos < TURN.toNanos();
      isMore &= !isClosed();
    }
  }

  private void followAgain(FollowerGroup group) {
    if (!tryFollow(group)) {
      group.fail(ErrorKind.UNAVAILABLE, closedBecause);
    }
  }

  /** Waits until there is a follower; false when the thread should end. */
  private boolean awaitWork(LiveFollowers live) {
    long left = IDLE.toNanos();
    lock.lock();
    try {
      while (live.isEmpty() && waiting.isEmpty() && !isClosed && left > 0) {
        left = changed.awaitNanos(left);
      }
      isRunning = !isClosed && !(live.isEmpty() && waiting.isEmpty());
      return isRunning;
    } catch (InterruptedException e) {
      isRunning = false;
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Serves followers that are behind, in turn, for a limited time. */
  private void catchUp(Consumer<String, byte[]> consumer, LiveFollowers live) {
    long beganNanos = System.nanoTime();
    Optional<FollowerGroup> next = next();
    while (next.isPresent()) {
      FollowerGroup group = next.get();
      group.dropDone();
      live.displaced();
      boolean isBehind = !group.isEmpty() && serve(consumer, group, live);
      if (isBehind) {
        followAgain(group);
      } else if (!group.isEmpty()) {
        live.join(group);
      }
      next = System.nanoTime() - beganNanos < TURN.toNanos() ? next() : Optional.empty();
    }
  }

  /** Returns who waits for longest, and whoever is new at the same partition. */
  private Optional<FollowerGroup> next() {
    lock.lock();
    try {
      Optional<FollowerGroup> next = Optional.ofNullable(waiting.poll());
      next.filter(group -> !group.isLocated())
          .ifPresent(
              group ->
                  waiting.removeIf(
                      other -> {
                        boolean isToo = other.mayShareLookup(group);
                        if (isToo) {
                          group.merge(other);
                        }
                        return isToo;
                      }));
      return next;
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
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
    List<FollowerGroup> stranded;
    lock.lock();
    try {
      stranded = List.copyOf(waiting);
      waiting.clear();
      isRunning = false;
    } finally {
      lock.unlock();
    }
    stranded.forEach(group -> group.fail(ErrorKind.UNAVAILABLE, reason));
  }

  /** Performs one turn; returns whether the group needs another before it has caught up. */
  private boolean serve(
      Consumer<String, byte[]> consumer, FollowerGroup group, LiveFollowers live) {
    try {
      consumer.assign(List.of(group.partition()));
      group.seek(consumer);
      return readOut(consumer, group, live);
    } catch (InvalidOffsetException e) {
      group.fail(ErrorKind.REPLY_TRUNCATED, TRUNCATED);
    } catch (RuntimeException e) {
      log.warn("event=reread_failed reason=\"{}\"", e.getMessage());
      group.fail(ErrorKind.UNAVAILABLE, UNREADABLE + Reasons.of(e));
    }
    return false;
  }

  private boolean readOut(
      Consumer<String, byte[]> consumer, FollowerGroup group, LiveFollowers live) {
    long beganNanos = System.nanoTime();
    while (!group.isEmpty()) {
      ConsumerRecords<String, byte[]> records = consumer.poll(SHORT_POLL);
      group.read(records.records(group.partition()));
      if (isNearEnd(consumer, group.partition())) {
        return false;
      }
      boolean isOver = System.nanoTime() - beganNanos > TURN.toNanos();
      if (isClosed() || (isOver && (isAnyWaiting() || !live.isEmpty()))) {
        return true;
      }
    }
    return false;
  }

  /** Unknown until the first fetch has been answered. */
  private static boolean isNearEnd(Consumer<String, byte[]> consumer, TopicPartition partition) {
    return consumer.currentLag(partition).orElse(Long.MAX_VALUE) <= NEAR_RECORDS;
  }

  /** Ends all followers with a message, also those that come later. */
  void close(String reason) {
    lock.lock();
    try {
      closedBecause = reason;
      isClosed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    stop(reason);
  }
}
