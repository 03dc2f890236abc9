package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import java.time.Instant;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** Somebody who has a part of a reply partition read out. Called on one thread. */
interface Follower {

  TopicPartition partition();

  /** The offset from which on it reads, where it is known; else {@link #since} says. */
  OptionalLong nextOffset();

  /** A broker time before which there is nothing for it. */
  Instant since();

  /** Takes the next record of the partition, of whatever request; false if it wants no more now. */
  boolean accept(ReplyRecord record);

  /** The partition ended there when it was looked up by {@link #since}. */
  default void endedAt(long offset) {}

  /** Everything before this offset has been read out. */
  void advanced(long offset);

  /** There was no further record within one turn. */
  void idle();

  /** The records cannot be read. */
  void failed(ErrorKind kind, String message);

  /** Whether it needs no further turn. */
  boolean isDone();
}
