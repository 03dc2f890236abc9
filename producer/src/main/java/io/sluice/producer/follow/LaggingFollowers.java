package io.sluice.producer.follow;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Followers whose place in the log has to be looked up, or that have much to read. They are served
 * in turns of bounded length. Those that have caught up and want more go to another thread. Not
 * thread-safe.
 */
final class LaggingFollowers implements FollowerThread.Service {
  /** A fetch of a consumer for lookups ends before, also without a record. */
  private static final Duration POLL = Duration.ofMillis(60);

  private static final Duration TURN = Duration.ofMillis(100);

  /** A follower that is at most this many records behind has caught up. */
  private static final long NEAR_RECORDS = 2_000;

  private static final Logger log = LoggerFactory.getLogger(LaggingFollowers.class);

  private final FollowerThread thread;
  private final Consumer<String, byte[]> consumer;
  private final java.util.function.Consumer<FollowerGroup> caughtUp;

  private enum Progress {
    /** No follower wants more. */
    DONE,
    /** Another turn is needed. */
    BEHIND,
    CAUGHT_UP
  }

  /**
   * @param thread has the groups that wait for their turns
   * @param caughtUp gets the groups that have caught up
   */
  LaggingFollowers(
      FollowerThread thread,
      Consumer<String, byte[]> consumer,
      java.util.function.Consumer<FollowerGroup> caughtUp) {
    this.thread = thread;
    this.consumer = consumer;
    this.caughtUp = caughtUp;
  }

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public void serve() {
    Optional<FollowerGroup> next = thread.next();
    if (next.isPresent()) {
      FollowerGroup group = next.get();
      group.dropDone();
      switch (group.isEmpty() ? Progress.DONE : serve(group)) {
        case DONE -> {}
        case BEHIND -> thread.add(group);
        case CAUGHT_UP -> caughtUp.accept(group);
      }
    }
  }

  /** Performs one turn. */
  private Progress serve(FollowerGroup group) {
    try {
      consumer.assign(List.of(group.partition()));
      boolean isMore = group.seek(consumer);
      group.dropDone();
      return isMore ? readOut(group) : endOf(group);
    } catch (InvalidOffsetException e) {
      group.fail(ErrorKind.REPLY_TRUNCATED, Rereader.TRUNCATED);
    } catch (RuntimeException e) {
      log.warn("event=reread_failed reason=\"{}\"", e.getMessage());
      group.fail(ErrorKind.UNAVAILABLE, Rereader.UNREADABLE + Reasons.of(e));
    }
    return Progress.DONE;
  }

  private Progress readOut(FollowerGroup group) {
    long beganNanos = System.nanoTime();
    while (!group.isEmpty()) {
      ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
      group.read(records.records(group.partition()));
      if (left(group.partition()) <= NEAR_RECORDS) {
        return endOf(group);
      }
      boolean isOver = System.nanoTime() - beganNanos > TURN.toNanos();
      if (thread.isClosed() || (isOver && thread.isAnyWaiting())) {
        return Progress.BEHIND;
      }
    }
    return Progress.DONE;
  }

  private static Progress endOf(FollowerGroup group) {
    return group.isEmpty() ? Progress.DONE : Progress.CAUGHT_UP;
  }

  /** Returns how many records are left to read. Unknown until the first fetch has been answered. */
  private long left(TopicPartition partition) {
    return consumer.currentLag(partition).orElse(Long.MAX_VALUE);
  }

  @Override
  public void fail(String reason) {
    // All of them are in the queue of the thread.
  }
}
