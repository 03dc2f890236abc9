package io.sluice.router.schedule;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Judges whether the leases of one task are alive: by the worker's acceptance, its heartbeats, and
 * the progress it reports. Silence counts only while this router was listening itself. Not
 * thread-safe.
 */
final class LeaseWatch {
  static final Duration ACCEPT_WITHIN = Duration.ofSeconds(2);
  static final Duration SUSPECT_AFTER = Duration.ofMillis(750);
  static final Duration SILENT_AFTER = Duration.ofMillis(1500);
  static final Duration PROGRESS_WITHIN = Duration.ofSeconds(6);

  /** After a start, or a pause of our own, so long no lease is ended. */
  static final Duration SETTLE = Duration.ofSeconds(2);

  /** Shorter than any of the above: in such a pause of our own, none of them proves anything. */
  static final Duration OWN_PAUSE = Duration.ofMillis(700);

  /** Why a lease is over. */
  enum Verdict {
    NOT_ACCEPTED,
    WORKER_GONE,
    WORKER_RESTARTED,
    WORKER_SILENT,
    NO_PROGRESS
  }

  /**
   * A lease that is over.
   *
   * @param isWitnessed whether its worker had said that it has it, and this router was there ever
   *     since
   */
  record Lost(String requestId, LeaseRef lease, Verdict verdict, boolean isWitnessed) {}

  private static final class Watched {
    private final LeaseRef lease;
    private final long sinceNanos;
    private boolean accepted;
    private boolean isWitnessed;
    private long heardNanos;

    Watched(LeaseRef lease, boolean accepted, long nowNanos) {
      this.lease = lease;
      this.accepted = accepted;
      this.sinceNanos = nowNanos;
      this.heardNanos = nowNanos;
    }
  }

  private final Map<String, Watched> leases = new HashMap<>();
  private long settledAtNanos;
  private long lookedNanos;

  LeaseWatch(long nowNanos) {
    settledAtNanos = nowNanos + SETTLE.toNanos();
    lookedNanos = nowNanos;
  }

  /** A lease was given. */
  void begin(String requestId, LeaseRef lease, long nowNanos) {
    leases.put(requestId, new Watched(lease, false, nowNanos));
  }

  /** A lease was found that somebody gave before; whether it was accepted is not known. */
  void restore(String requestId, LeaseRef lease, long nowNanos) {
    leases.put(requestId, new Watched(lease, true, nowNanos));
  }

  /** Its worker reported. */
  void heard(String requestId, long nowNanos) {
    Watched watched = leases.get(requestId);
    if (watched != null) {
      watched.accepted = true;
      watched.isWitnessed = true;
      watched.heardNanos = nowNanos;
    }
  }

  /** Whether its worker is known to have it; of one that was found that is assumed. */
  boolean isAccepted(String requestId) {
    Watched watched = leases.get(requestId);
    return watched != null && watched.accepted;
  }

  void end(String requestId) {
    leases.remove(requestId);
  }

  /** The leases that are over; to be asked every few tens of milliseconds. */
  List<Lost> lost(FleetSnapshot fleet, long nowNanos) {
    if (nowNanos - lookedNanos > OWN_PAUSE.toNanos()) {
      settle(nowNanos);
    }
    lookedNanos = nowNanos;
    if (leases.isEmpty() || nowNanos - settledAtNanos < 0) {
      return List.of();
    }
    Duration patience = massSilence(fleet, nowNanos) ? SILENT_AFTER.multipliedBy(2) : SILENT_AFTER;
    List<Lost> lost = new ArrayList<>();
    leases.forEach(
        (requestId, watched) ->
            judge(watched, fleet, patience, nowNanos)
                .ifPresent(
                    verdict ->
                        lost.add(
                            new Lost(requestId, watched.lease, verdict, watched.isWitnessed))));
    return lost;
  }

  /** This router did not run for a while: what it did not hear in that time proves nothing. */
  private void settle(long nowNanos) {
    settledAtNanos = nowNanos + SETTLE.toNanos();
    for (Watched watched : leases.values()) {
      watched.heardNanos = nowNanos;
      watched.isWitnessed = false;
    }
  }

  /**
   * When more than half of the fleet falls silent at once, the fault is rather on the way than with
   * the workers.
   */
  private static boolean massSilence(FleetSnapshot fleet, long nowNanos) {
    long silent =
        fleet.workers().values().stream().filter(view -> isSilent(view, nowNanos)).count();
    return silent * 2 > fleet.workers().size();
  }

  private static Optional<Verdict> judge(
      Watched watched, FleetSnapshot fleet, Duration patience, long nowNanos) {
    if (!watched.accepted && nowNanos - watched.sinceNanos > ACCEPT_WITHIN.toNanos()) {
      return Optional.of(Verdict.NOT_ACCEPTED);
    }
    if (nowNanos - watched.heardNanos > PROGRESS_WITHIN.toNanos()) {
      return Optional.of(Verdict.NO_PROGRESS);
    }
    if (!fleet.fresh()) {
      return Optional.empty();
    }
    Optional<WorkerView> worker = fleet.worker(watched.lease.worker());
    if (worker.isEmpty()) {
      return Optional.of(Verdict.WORKER_GONE);
    }
    if (!worker.get().snapshot().incarnation().equals(watched.lease.incarnation())) {
      return Optional.of(Verdict.WORKER_RESTARTED);
    }
    return silence(worker.get(), nowNanos) > patience.toNanos()
        ? Optional.of(Verdict.WORKER_SILENT)
        : Optional.empty();
  }

  /** Whether the life of the worker that holds a lease is known to go on. */
  static boolean isBeating(FleetSnapshot fleet, LeaseRef lease, long nowNanos) {
    return fleet.fresh()
        && fleet
            .worker(lease.worker())
            .filter(view -> view.snapshot().incarnation().equals(lease.incarnation()))
            .filter(view -> silence(view, nowNanos) <= SUSPECT_AFTER.toNanos())
            .isPresent();
  }

  /** Whether nothing was heard of a worker for so long that it may be dead. */
  static boolean isSilent(WorkerView view, long nowNanos) {
    return silence(view, nowNanos) > SILENT_AFTER.toNanos();
  }

  static long silence(WorkerView view, long nowNanos) {
    return nowNanos - view.heardAtNanos();
  }
}
