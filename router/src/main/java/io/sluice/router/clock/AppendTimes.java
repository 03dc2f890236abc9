package io.sluice.router.clock;

import org.apache.kafka.common.TopicPartition;

/**
 * When records of the partitions that are read here were appended, in the pool's time. Thread-safe.
 */
public interface AppendTimes {

  /** A partition is read from now on. */
  void begin(TopicPartition partition);

  /** A partition is no longer read. */
  void end(TopicPartition partition);

  /**
   * Returns when a record was appended, epoch milliseconds, never later than now.
   *
   * @param appendTimeMillis as the partition's leader wrote it, by its own clock
   */
  long appendedAt(TopicPartition partition, long offset, long appendTimeMillis);
}
