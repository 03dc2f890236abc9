package io.sluice.router.clock;

import org.apache.kafka.common.TopicPartition;

/** The time in which deadlines are counted, the same for all routers of a pool. Thread-safe. */
public interface PoolTime {

  /** Returns the current time, epoch milliseconds. */
  long millis();

  /**
   * Returns when a record was appended, in this time; never later than now. Only the distance
   * between its append time and its leader's current time is used, or that to the leader's time
   * before its clock was set, if that makes it later.
   *
   * @param appendTimeMillis as the partition's leader wrote it, by its own clock
   */
  long appendedAt(TopicPartition partition, long appendTimeMillis);

  /** Returns what the clock of a partition's leader shows at a time of the pool. */
  long byLeader(TopicPartition partition, long epochMillis);
}
