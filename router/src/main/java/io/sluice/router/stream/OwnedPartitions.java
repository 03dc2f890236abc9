package io.sluice.router.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntConsumer;

/**
 * The partitions whose requests this process schedules now. Where a task moves from one of its
 * threads to another, which may begin before the first has closed it, the partition stays.
 * Thread-safe.
 */
public final class OwnedPartitions {
  /** How many tasks there are of each. */
  private final ConcurrentMap<Integer, Integer> owned = new ConcurrentHashMap<>();

  private final IntConsumer onStart;

  /**
   * None yet.
   *
   * @param onStart called with each partition when its task starts; must not block
   */
  public OwnedPartitions(IntConsumer onStart) {
    this.onStart = onStart;
  }

  /** The partitions as they are now. */
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
