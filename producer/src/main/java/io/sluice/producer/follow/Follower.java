package io.sluice.producer.follow;

import io.sluice.common.protocol.ErrorKind;
import java.time.Instant;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** A reader of a part of a reply partition. Called on one thread. */
public interface Follower {

  TopicPartition partition();

  /** Returns for whom it reads; empty if that is not known. */
  default String tenant() {
    return "";
  }

  /**
   * Returns the offset from which it reads, if it is known; otherwise it reads from {@link #since}.
   */
  OptionalLong nextOffset();

  /** Returns a broker time before which there are no records for it. */
  Instant since();

  /**
   * Receives the next record of the partition, of any request; returns false if it does not take
   * more at the moment.
   */
  boolean accept(ReplyRecord record);

  /** Receives where the partition ended when its begin was looked up by {@link #since}. */
  default void endedAt(long offset) {}

  /** All records before this offset have been read. */
  void advanced(long offset);

  /** There is no further record at the moment. */
  void idle();

  /** The records cannot be read. */
  void failed(ErrorKind kind, String message);

  /** Returns whether it needs no further record. */
  boolean isDone();
}
