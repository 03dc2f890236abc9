package io.sluice.producer.follow;

import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/** Followers of one partition that are served by the same reading. Not thread-safe. */
final class FollowerGroup {
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(10);

  /** Groups that begin within this time of each other share one reading. */
  private static final Duration NEAR = Duration.ofSeconds(30);

  /**
   * Groups at most this many records apart share one reading: the one ahead waits for the other,
   * which takes less time than to read the same records twice.
   */
  private static final long NEAR_RECORDS = 20_000;

  private final TopicPartition partition;
  private final List<Follower> followers = new ArrayList<>();

  /** The next offset that a follower needs; empty if it has to be looked up. */
  private OptionalLong position;

  private long lastTurn;

  FollowerGroup(Follower first) {
    this.partition = first.partition();
    this.position = first.nextOffset();
    followers.add(first);
  }

  TopicPartition partition() {
    return partition;
  }

  boolean isEmpty() {
    return followers.isEmpty();
  }

  /**
   * Returns whether one reading should serve this group and another: they need nearly the same
   * records of a partition, as far as it is known where these are.
   */
  boolean mayMerge(FollowerGroup other) {
    if (!partition.equals(other.partition) || position.isPresent() != other.position.isPresent()) {
      return false;
    }
    return position.isPresent()
        ? Math.abs(position.getAsLong() - other.position.orElseThrow()) <= NEAR_RECORDS
        : Duration.between(since(), other.since()).abs().compareTo(NEAR) <= 0;
  }

  private Instant since() {
    return followers.stream().map(Follower::since).min(Instant::compareTo).orElse(Instant.EPOCH);
  }

  /** Returns its last turn; 0 before the first. */
  long lastTurn() {
    return lastTurn;
  }

  void servedIn(long turn) {
    lastTurn = turn;
  }

  /** Returns for whom it reads; a tenant may occur more than once. */
  Stream<String> tenants() {
    return followers.stream().map(Follower::tenant);
  }

  /** Drops the followers that need no more records. */
  void dropDone() {
    followers.removeIf(Follower::isDone);
  }

  /** Adds the followers of another group of the same partition; both are located, or neither is. */
  void merge(FollowerGroup other) {
    followers.addAll(other.followers);
    if (position.isPresent()) {
      position = OptionalLong.of(Math.min(position.getAsLong(), other.position.orElseThrow()));
    }
  }

  /**
   * Makes a consumer, to which the partition is assigned, read from the group's position.
   *
   * @return false if the position had to be looked up and is the end of the partition
   */
  boolean seek(Consumer<String, byte[]> consumer) {
    boolean isMore = position.isPresent() || lookUp(consumer);
    consumer.seek(partition, position.orElseThrow());
    return isMore;
  }

  private boolean lookUp(Consumer<String, byte[]> consumer) {
    long end = consumer.endOffsets(List.of(partition), LOOKUP_TIMEOUT).getOrDefault(partition, 0L);
    OffsetAndTimestamp found =
        consumer
            .offsetsForTimes(Map.of(partition, since().toEpochMilli()), LOOKUP_TIMEOUT)
            .get(partition);
    long begin = found == null ? end : found.offset();
    position = OptionalLong.of(begin);
    for (Follower follower : followers) {
      follower.endedAt(end);
      follower.advanced(begin);
    }
    return begin < end;
  }

  /**
   * Passes the next records to those followers that have not read them before, and drops the
   * followers that are done or take no more. No records mean that there are none at the moment.
   */
  void read(List<ConsumerRecord<String, byte[]>> records) {
    for (ConsumerRecord<String, byte[]> record : records) {
      ReplyRecord.of(record).ifPresent(this::pass);
    }
    if (records.isEmpty()) {
      followers.forEach(Follower::idle);
    } else {
      advance(records.getLast().offset() + 1);
    }
    dropDone();
  }

  private void pass(ReplyRecord record) {
    followers.removeIf(
        follower -> isBehind(follower, record.offset() + 1) && !follower.accept(record));
  }

  private void advance(long offset) {
    position = OptionalLong.of(offset);
    for (Follower follower : followers) {
      if (isBehind(follower, offset)) {
        follower.advanced(offset);
      }
    }
  }

  private static boolean isBehind(Follower follower, long offset) {
    return follower.nextOffset().orElse(0) < offset;
  }

  /** Ends all followers with an error. */
  void fail(ErrorKind kind, String message) {
    followers.forEach(follower -> follower.failed(kind, message));
    followers.clear();
  }
}
