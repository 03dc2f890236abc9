package io.sluice.standalone.verify.pressure;

import io.sluice.common.protocol.BulkLimits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.List;

/**
 * Whether bulk had to be evicted for interactive requests: the cache was full, and the engine had
 * bulk that was not nearly done, which would stay. Bulk that is left may be parked in the router,
 * because the interactive requests alone fill the cache.
 *
 * @param told what the worker reported meanwhile
 * @param bulkEnds when the bulk answers ended, in nanoseconds
 * @param interactive the most interactive requests at a time
 */
record EvictionNeed(List<Seen<WorkerSnapshot>> told, List<Long> bulkEnds, int interactive) {
  /** Longer than an engine takes for the last tokens, with which bulk is not evicted. */
  private static final Duration NEARLY_DONE = Duration.ofSeconds(2);

  /** Longer than what a report says is old: it may still show bulk that has ended. */
  private static final Duration REPORT_AGE = Duration.ofSeconds(1);

  EvictionNeed {
    told = List.copyOf(told);
    bulkEnds = List.copyOf(bulkEnds);
  }

  /** Returns whether a report of the worker shows it. */
  boolean isSeen() {
    return told.stream()
        .filter(seen -> isFull(seen.what()))
        .anyMatch(seen -> isBulkFarFromDone(seen.nanos()));
  }

  private boolean isFull(WorkerSnapshot worker) {
    return worker.kvUsage().orElse(0) > BulkLimits.EVICT_FROM_KV_USAGE
        && worker.running() + worker.waiting() > interactive;
  }

  /** Returns whether bulk was left at a time, and none of it ended soon after or just before. */
  private boolean isBulkFarFromDone(long nanos) {
    return bulkEnds.stream()
            .mapToLong(end -> end - nanos)
            .filter(left -> left > -REPORT_AGE.toNanos())
            .min()
            .orElse(0)
        > NEARLY_DONE.toNanos();
  }
}
