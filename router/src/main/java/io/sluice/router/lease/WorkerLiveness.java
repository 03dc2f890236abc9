package io.sluice.router.lease;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.WatchedLeases.Life;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Whether workers are alive, by their heartbeats and their reports about leases. Silence is counted
 * up to the last read of the registry, not up to now. A worker is silent after {@value #GAPS} times
 * the longest recent gap between its heartbeats, which grows on an overloaded machine, but at least
 * after {@link #SILENT_AFTER} and at most after {@link #MOST_SILENT}. So a dead worker of a quiet
 * fleet is found within 2 s, and a busy one is not taken for dead. All tasks of a process share
 * one. Thread-safe.
 */
public final class WorkerLiveness {
  static final Duration SILENT_AFTER = Duration.ofMillis(1500);
  static final Duration MOST_SILENT = Duration.ofSeconds(6);
  private static final int GAPS = 3;

  /** The maximum number of known worker lives. If there are more, most of them are over. */
  private static final int MOST_KNOWN = 4_096;

  private final ConcurrentMap<Life, Long> reportedNanos = new ConcurrentHashMap<>();

  /** Creates an instance without any report. */
  public WorkerLiveness() {}

  /**
   * A worker has reported something about a lease.
   *
   * @param nanos the earliest time at which it can have said so, on the monotonic clock
   */
  void reported(LeaseRef lease, long nanos) {
    if (reportedNanos.size() >= MOST_KNOWN) {
      reportedNanos.clear();
    }
    reportedNanos.merge(Life.of(lease), nanos, (known, next) -> next - known > 0 ? next : known);
  }

  /**
   * Returns whether a worker has been silent for so long that it counts as dead, times a factor.
   */
  public boolean isSilent(WorkerView view, FleetSnapshot fleet, int times, long nowNanos) {
    return silence(view, fleet, nowNanos) > times * patience(view);
  }

  /** Returns whether a worker has been silent for half of that time. Nothing new goes to it. */
  public boolean hasLateHeartbeat(WorkerView view, FleetSnapshot fleet, long nowNanos) {
    return 2 * silence(view, fleet, nowNanos) > patience(view);
  }

  /** Returns whether the life of the worker that holds a lease is known to continue. */
  public boolean isAlive(FleetSnapshot fleet, LeaseRef lease, long nowNanos) {
    return fleet.fresh()
        && fleet
            .worker(lease.worker())
            .filter(view -> view.snapshot().incarnation().equals(lease.incarnation()))
            .filter(view -> !hasLateHeartbeat(view, fleet, nowNanos))
            .isPresent();
  }

  private static long patience(WorkerView view) {
    return Math.clamp(
        GAPS * view.longestGap().toNanos(), SILENT_AFTER.toNanos(), MOST_SILENT.toNanos());
  }

  private long silence(WorkerView view, FleetSnapshot fleet, long nowNanos) {
    long readNanos = nowNanos - fleet.age().toNanos();
    long silence = readNanos - view.heardAtNanos();
    WorkerSnapshot worker = view.snapshot();
    Long reported =
        reportedNanos.isEmpty()
            ? null
            : reportedNanos.get(new Life(worker.id(), worker.incarnation()));
    return reported == null ? silence : Math.min(silence, readNanos - reported);
  }
}
