package io.sluice.router.stream;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The positions from which this process started to read partitions. Everything before them was
 * processed and committed by an earlier reader. After a partition returns to this process, the
 * earlier position may be reported until the new one is known; it was processed too. Thread-safe.
 */
public final class StartPositions {
  private final Map<TopicPartition, Long> starts = new ConcurrentHashMap<>();

  /** A partition is read from this offset on. */
  void begins(TopicPartition partition, long offset) {
    starts.put(partition, offset);
  }

  /** Returns the first offset that is or was read; empty if it is not known yet. */
  OptionalLong of(TopicPartition partition) {
    Long start = starts.get(partition);
    return start == null ? OptionalLong.empty() : OptionalLong.of(start);
  }
}
