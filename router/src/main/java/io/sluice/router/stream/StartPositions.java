package io.sluice.router.stream;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * From where this process began to read partitions: everything before that was processed, and
 * committed, by whoever read them before. Where one came back to a process that had it earlier, the
 * earlier position may be told until the new one is known; that too was processed. Thread-safe.
 */
public final class StartPositions {
  private final Map<TopicPartition, Long> starts = new ConcurrentHashMap<>();

  /** A partition is read from there on. */
  void begins(TopicPartition partition, long offset) {
    starts.put(partition, offset);
  }

  /** The first offset that is read, or was; empty if that is not known yet. */
  OptionalLong of(TopicPartition partition) {
    Long start = starts.get(partition);
    return start == null ? OptionalLong.empty() : OptionalLong.of(start);
  }
}
