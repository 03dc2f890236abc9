package io.sluice.router.clock;

import org.apache.kafka.common.TopicPartition;

/** The time that deadlines are counted in, the same for all routers of a pool. Thread-safe. */
public interface PoolTime {

  /** Now, epoch milliseconds. */
  long millis();

  /**
   * When a record was appended, in this time; never later than now. Of its append time only the
   * distance to what its partition's leader takes for now is used.
   *
   * @param appendTimeMillis as the partition's leader wrote it, by its own clock
   */
  long appendedAt(TopicPartition partition, long appendTimeMillis);

  /** What the clock of a partition's leader showed, or will show, at a time of the pool's. */
  long byLeader(TopicPartition partition, long epochMillis);
}
