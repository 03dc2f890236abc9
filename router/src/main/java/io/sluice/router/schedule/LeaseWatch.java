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
 * Judges whether the leases of one task are alive: by the worker's acceptance, the progress it
 * reports, and its heartbeats. Silence counts only as far as this router has listened: acceptance
 * and progress up to the moment through which the task has {@linkplain Hearing heard} what workers
 * said, heartbeats up to the last reading of the registry ({@link WorkerLife}). So a router that is
 * behind with its reading, by whatever load, ends no lease for that. While the brokers do not say
 * how far the task has heard, only heartbeats and deadlines end leases. Not thread-safe.
 */
final class LeaseWatch {
  static final Duration ACCEPT_WITHIN = Duration.ofSeconds(2);
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
   * @param verdict a worker that was lost and goes then counts as lost as it was before
   * @param wasHeard whether its worker had told this router that it has it
   * @param isWatched whether this router was there ever since
   * @param sinceNanos when that was first seen, if it is the same every time since then
   */
  record Lost(
      String requestId,
      LeaseRef lease,
      Verdict verdict,
      boolean wasHeard,
      boolean isWatched,
      long sinceNanos) {}

  private static final class Watched {
    private final LeaseRef lease;
    private final long sinceNanos;
    private boolean accepted;
    private boolean wasHeard;
    private boolean isWatched;
    private long heardNanos;
    private Optional<Lost> firstLost = Optional.empty();

    Watched(LeaseRef lease, boolean accepted, long nowNanos) {
      this.lease = lease;
      this.accepted = accepted;
      this.sinceNanos = nowNanos;
      this.heardNanos = nowNanos;
    }

    void heard(long nowNanos) {
      accepted = true;
      wasHeard = true;
      isWatched = true;
      heardNanos = nowNanos;
    }

    Lost lost(String requestId, Verdict verdict, long nowNanos) {
      Lost lost =
          new Lost(
              requestId,
              lease,
              verdict == Verdict.WORKER_GONE
                  ? firstLost.map(Lost::verdict).orElse(verdict)
                  : verdict,
              wasHeard,
              isWatched,
              firstLost.map(Lost::sinceNanos).orElse(nowNanos));
      firstLost = Optional.of(firstLost.orElse(lost));
      return lost;
    }
  }

  /** Who is silent, at one look; the whole fleet is asked only if anybody is. */
  private final class Silence {
    private final FleetSnapshot fleet;
    private final long nowNanos;
    private Optional<Boolean> ofMost = Optional.empty();

    Silence(FleetSnapshot fleet, long nowNanos) {
      this.fleet = fleet;
      this.nowNanos = nowNanos;
    }

    boolean isDeath(WorkerView view) {
      return life.isSilent(view, fleet, 1, nowNanos)
          && (!isOfMost() || life.isSilent(view, fleet, 2, nowNanos));
    }

    /**
     * When more than half of the fleet falls silent at once, the fault is rather on the way than
     * with the workers.
     */
    private boolean isOfMost() {
      if (ofMost.isEmpty()) {
        long silent =
            fleet.workers().values().stream()
                .filter(view -> life.isSilent(view, fleet, 1, nowNanos))
                .count();
        ofMost = Optional.of(silent * 2 > fleet.workers().size());
      }
      return ofMost.get();
    }
  }

  private final Map<String, Watched> leases = new HashMap<>();
  private final Hearing hearing;
  private final WorkerLife life;
  private long settledAtNanos;
  private long lookedNanos;

  LeaseWatch(Hearing hearing, WorkerLife life, long nowNanos) {
    this.hearing = hearing;
    this.life = life;
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

  /** A worker reported, of whatever lease. */
  void reported(LeaseRef lease, long nowNanos) {
    life.spoke(lease, hearing.throughNanos(nowNanos));
  }

  /** Whether a request is known to be with a worker under this very lease. */
  boolean holds(LeaseRef lease) {
    Watched watched = leases.get(lease.requestId());
    return watched != null && watched.lease.equals(lease);
  }

  /** Its worker reported. */
  void heard(String requestId, long nowNanos) {
    Watched watched = leases.get(requestId);
    if (watched != null) {
      watched.heard(nowNanos);
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
    var silence = new Silence(fleet, nowNanos);
    long heardNanos = hearing.throughNanos(nowNanos);
    List<Lost> lost = new ArrayList<>();
    leases.forEach(
        (requestId, watched) ->
            judge(watched, fleet, silence, heardNanos)
                .ifPresentOrElse(
                    verdict -> lost.add(watched.lost(requestId, verdict, nowNanos)),
                    () -> watched.firstLost = Optional.empty()));
    return lost;
  }

  /** This router did not run for a while: what it did not hear in that time proves nothing. */
  private void settle(long nowNanos) {
    settledAtNanos = nowNanos + SETTLE.toNanos();
    for (Watched watched : leases.values()) {
      watched.heardNanos = nowNanos;
      watched.isWatched = false;
    }
  }

  private Optional<Verdict> judge(
      Watched watched, FleetSnapshot fleet, Silence silence, long heardNanos) {
    if (!watched.accepted && heardNanos - watched.sinceNanos > ACCEPT_WITHIN.toNanos()) {
      return Optional.of(Verdict.NOT_ACCEPTED);
    }
    if (heardNanos - watched.heardNanos > PROGRESS_WITHIN.toNanos()) {
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
    return silence.isDeath(worker.get()) ? Optional.of(Verdict.WORKER_SILENT) : Optional.empty();
  }
}
