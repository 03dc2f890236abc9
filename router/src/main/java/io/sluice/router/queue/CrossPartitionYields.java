package io.sluice.router.queue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How each group of requests yields to other partitions. This is remembered while a group is empty:
 * otherwise every request of a tenant that sends one at a time would wait again. Not thread-safe.
 */
final class CrossPartitionYields {
  private static final int REMEMBERED = 1_000;

  private final Map<PendingQueue.Group, CrossPartitionYield> byGroup;

  /**
   * @param isEmpty whether nothing of a group waits; beyond {@value #REMEMBERED} groups, such ones
   *     are forgotten
   */
  CrossPartitionYields(Predicate<PendingQueue.Group> isEmpty) {
    byGroup =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(
              Map.Entry<PendingQueue.Group, CrossPartitionYield> eldest) {
            return size() > REMEMBERED && isEmpty.test(eldest.getKey());
          }
        };
  }

  /** Returns that of a group. */
  CrossPartitionYield of(PendingQueue.Group group) {
    return byGroup.computeIfAbsent(group, any -> new CrossPartitionYield());
  }
}
