package io.sluice.worker.reply;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Progress that is about to be reported, by partition. All leases of a worker report at the same
 * moments, so that one record per partition replaces many. The batch has at most one entry per
 * running generation. Thread-safe.
 */
final class ProgressBatch {
  private final Map<Integer, Map<LeaseRef, Outcome>> byPartition = new HashMap<>();

  /** Adds a lease's progress; returns whether it is the first of a batch. */
  synchronized boolean add(int partition, Outcome progress) {
    boolean isFirst = byPartition.isEmpty();
    byPartition
        .computeIfAbsent(partition, any -> new LinkedHashMap<>())
        .put(progress.lease(), progress);
    return isFirst;
  }

  /**
   * Drops the progress of a lease that reports another outcome, which its progress must not follow.
   */
  synchronized void drop(int partition, LeaseRef lease) {
    byPartition.computeIfPresent(
        partition,
        (any, leases) -> {
          leases.remove(lease);
          return leases;
        });
  }

  /** Takes the whole batch. */
  synchronized Map<Integer, List<Outcome>> take() {
    Map<Integer, List<Outcome>> taken = new HashMap<>();
    byPartition.forEach(
        (partition, leases) -> {
          if (!leases.isEmpty()) {
            taken.put(partition, new ArrayList<>(leases.values()));
          }
        });
    byPartition.clear();
    return taken;
  }
}
