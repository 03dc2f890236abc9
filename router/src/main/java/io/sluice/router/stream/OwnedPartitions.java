package io.sluice.router.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntConsumer;

/**
 * The partitions whose requests this process schedules now, and how many the group has assigned to
 * it: the store of an assigned partition is restored before its task starts. If a task moves
 * between threads of this process, the new one may start before the old one has closed, and the
 * partition stays. Thread-safe.
 */
public final class OwnedPartitions {
  /** The number of tasks of each partition. */
  private final ConcurrentMap<Integer, Integer> owned = new ConcurrentHashMap<>();

  /** The number of partitions that each consumer of this process is assigned. */
  private final ConcurrentMap<Object, Integer> assigned = new ConcurrentHashMap<>();

  /** Those in which nothing waits for time to pass. */
  private final Set<Integer> idle = ConcurrentHashMap.newKeySet();

  private final IntConsumer onStart;

  /**
   * Creates an empty set.
   *
   * @param onStart called with each partition when its task starts; must not block
   */
  public OwnedPartitions(IntConsumer onStart) {
    this.onStart = onStart;
  }

  /** Returns the current partitions. */
  public Set<Integer> current() {
    return Set.copyOf(owned.keySet());
  }

  /**
   * Returns the started tasks as a share of the assigned partitions: 1 unless some are being
   * restored.
   */
  public double startedShare() {
    int all = assigned.values().stream().mapToInt(Integer::intValue).sum();
    int started = owned.size();
    return started >= all ? 1 : (double) started / all;
  }

  /** A consumer has been assigned this many partitions, instead of those before. */
  void assigned(Object consumer, int partitions) {
    assigned.put(consumer, partitions);
  }

  /** A consumer has been closed. */
  void closed(Object consumer) {
    assigned.remove(consumer);
  }

  /** Whether a task waits for nothing but records. */
  void idle(int partition, boolean isIdle) {
    if (isIdle) {
      idle.add(partition);
    } else {
      idle.remove(partition);
    }
  }

  /** Returns whether all assigned partitions have started, and wait for nothing but records. */
  public boolean areIdle() {
    return !owned.isEmpty() && startedShare() == 1 && idle.containsAll(owned.keySet());
  }

  void started(int partition) {
    onStart.accept(partition);
    owned.merge(partition, 1, Integer::sum);
  }

  void stopped(int partition) {
    idle.remove(partition);
    owned.computeIfPresent(partition, (same, tasks) -> tasks > 1 ? tasks - 1 : null);
  }
}
