package io.sluice.producer.follow;

import io.sluice.common.protocol.ErrorKind;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** Wants the records of a partition up to an offset. Fails the test if it is failed. */
final class TestFollower implements Follower {
  private final TopicPartition partition;
  private final Instant since;
  private final long wanted;
  private OptionalLong next;
  private String tenant = "";

  /**
   * @param next the offset that it needs next; empty if it has to be looked up
   * @param wanted the offset before which it wants the records
   */
  TestFollower(TopicPartition partition, OptionalLong next, Instant since, long wanted) {
    this.partition = partition;
    this.next = next;
    this.since = since;
    this.wanted = wanted;
  }

  /** Returns one that wants the first records of a partition. */
  static TestFollower wanting(TopicPartition partition, long records) {
    return new TestFollower(partition, OptionalLong.of(0), Instant.EPOCH, records);
  }

  /** Returns this one, as that of a tenant. */
  TestFollower of(String name) {
    tenant = name;
    return this;
  }

  @Override
  public String tenant() {
    return tenant;
  }

  @Override
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public OptionalLong nextOffset() {
    return next;
  }

  @Override
  public Instant since() {
    return since;
  }

  @Override
  public boolean accept(ReplyRecord record) {
    return true;
  }

  @Override
  public void advanced(long offset) {
    next = OptionalLong.of(offset);
  }

  @Override
  public void idle() {}

  @Override
  public void failed(ErrorKind kind, String message) {
    throw new AssertionError(List.of(kind, message));
  }

  @Override
  public boolean isDone() {
    return next.orElse(0) >= wanted;
  }
}
