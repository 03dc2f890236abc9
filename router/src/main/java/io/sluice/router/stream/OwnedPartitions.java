package io.sluice.router.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntConsumer;

/**
 * The partitions whose requests this process schedules now. If a task moves between threads of this
 * process, the new one may start before the old one has closed, and the partition stays.
 * Thread-safe.
 */
public final class OwnedPartitions {
  /** The number of tasks of each partition. */
  private final ConcurrentMap<Integer, Integer> owned = new ConcurrentHashMap<>();

  private final IntConsumer onStart;

  /**
   * Creates an empty set.
   *
   * @param onStart called with each partition when its task starts; must not block
   */
  public OwnedPartitions(IntConsumer onStart) {
    this.onStart = onStart;
  }

  /** The current partitions. */
  public Set<Integer> current() {
    return Set.copyOf(owned.keySet());
  }

  void started(int partition) {
    onStart.accept(partition);
    owned.merge(partition, 1, Integer::sum);
  }

  void stopped(int partition) {
    owned.computeIfPresent(partition, (same, tasks) -> tasks > 1 ? tasks - 1 : null);
  }
}
