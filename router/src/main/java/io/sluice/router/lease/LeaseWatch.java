package io.sluice.router.lease;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Judges whether the leases of one task are alive: by the worker's acceptance, the progress it
 * reports, and its heartbeats. Silence counts only as far as this router has listened: acceptance
 * and progress up to the moment through which the task has {@linkplain OutcomeWatermark heard} what
 * workers said, heartbeats up to the last reading of the registry ({@link WorkerLiveness}). So a
 * router that is behind with its reading, by whatever load, ends no lease for that. While the
 * brokers do not say how far the task has heard, only heartbeats and deadlines end leases. Not
 * thread-safe.
 */
public final class LeaseWatch {
  public static final Duration ACCEPT_WITHIN = Duration.ofSeconds(2);
  public static final Duration PROGRESS_WITHIN = Duration.ofSeconds(6);

  /** After a start, or a pause of our own, so long no lease is ended. */
  public static final Duration SETTLE = Duration.ofSeconds(2);

  /** Shorter than any of the above: in such a pause of our own, none of them proves anything. */
  static final Duration OWN_PAUSE = Duration.ofMillis(700);

  /** Why a lease is over. */
  public enum Verdict {
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
  public record Lost(
      LeaseRef lease, Verdict verdict, boolean wasHeard, boolean isWatched, long sinceNanos) {
    public String requestId() {
      return lease.requestId();
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

  private final WatchedLeases leases = new WatchedLeases();
  private final OutcomeWatermark hearing;
  private final WorkerLiveness life;

  /** What was lost at the last look, as it was when it was first. */
  private Map<String, Lost> firstLost = Map.of();

  private long settledAtNanos;
  private long checkedNanos;

  public LeaseWatch(OutcomeWatermark hearing, WorkerLiveness life, long nowNanos) {
    this.hearing = hearing;
    this.life = life;
    settledAtNanos = nowNanos + SETTLE.toNanos();
    checkedNanos = nowNanos;
  }

  /** A lease was given. */
  public void begin(LeaseRef lease, long nowNanos) {
    leases.give(lease, nowNanos);
  }

  /** A lease was found that somebody gave before; whether it was accepted is not known. */
  public void restore(LeaseRef lease, long nowNanos) {
    leases.find(lease, nowNanos);
  }

  /** A worker reported, of whatever lease. */
  public void reported(LeaseRef lease, long nowNanos) {
    life.reported(lease, hearing.throughNanos(nowNanos));
  }

  /** Whether a request is known to be with a worker under this very lease. */
  public boolean isCurrent(LeaseRef lease) {
    return leases.of(lease.requestId()).filter(known -> known.lease().equals(lease)).isPresent();
  }

  /** Its worker reported. */
  public void heard(String requestId, long nowNanos) {
    leases.heard(requestId, nowNanos);
  }

  /** Whether its worker is known to have it; of one that was found that is assumed. */
  public boolean isAccepted(String requestId) {
    return leases.isAccepted(requestId);
  }

  public void end(String requestId) {
    leases.remove(requestId);
  }

  /** The leases that are over; to be asked every few tens of milliseconds. */
  public List<Lost> lost(FleetSnapshot fleet, long nowNanos) {
    if (nowNanos - checkedNanos > OWN_PAUSE.toNanos()) {
      settle(nowNanos);
    }
    checkedNanos = nowNanos;
    if (leases.isEmpty() || nowNanos - settledAtNanos < 0) {
      return List.of();
    }
    Map<WatchedLeases.Watched, Verdict> verdicts = new LinkedHashMap<>();
    long heardNanos = hearing.throughNanos(nowNanos);
    leases
        .unacceptedSince(heardNanos - ACCEPT_WITHIN.toNanos())
        .forEach(lease -> verdicts.put(lease, Verdict.NOT_ACCEPTED));
    leases
        .unheardSince(heardNanos - PROGRESS_WITHIN.toNanos())
        .forEach(lease -> verdicts.put(lease, Verdict.NO_PROGRESS));
    if (fleet.fresh()) {
      var silence = new Silence(fleet, nowNanos);
      for (WatchedLeases.Life workerLife : leases.lives()) {
        judge(workerLife, fleet, silence)
            .ifPresent(
                verdict ->
                    leases.of(workerLife).forEach(lease -> verdicts.putIfAbsent(lease, verdict)));
      }
    }
    List<Lost> lost = new ArrayList<>();
    verdicts.forEach((lease, verdict) -> lost.add(lost(lease, verdict, nowNanos)));
    firstLost = firsts(lost);
    return lost;
  }

  /** This router did not run for a while. */
  private void settle(long nowNanos) {
    settledAtNanos = nowNanos + SETTLE.toNanos();
    leases.notListened(nowNanos);
  }

  private static Optional<Verdict> judge(
      WatchedLeases.Life workerLife, FleetSnapshot fleet, Silence silence) {
    Optional<WorkerView> worker = fleet.worker(workerLife.worker());
    if (worker.isEmpty()) {
      return Optional.of(Verdict.WORKER_GONE);
    }
    if (!worker.get().snapshot().incarnation().equals(workerLife.incarnation())) {
      return Optional.of(Verdict.WORKER_RESTARTED);
    }
    return silence.isDeath(worker.get()) ? Optional.of(Verdict.WORKER_SILENT) : Optional.empty();
  }

  private Lost lost(WatchedLeases.Watched watched, Verdict verdict, long nowNanos) {
    Optional<Lost> first = firstLost(watched.lease());
    return new Lost(
        watched.lease(),
        verdict == Verdict.WORKER_GONE ? first.map(Lost::verdict).orElse(verdict) : verdict,
        watched.wasHeard(),
        watched.isWatched(),
        first.map(Lost::sinceNanos).orElse(nowNanos));
  }

  private Map<String, Lost> firsts(List<Lost> lost) {
    Map<String, Lost> firsts = new HashMap<>();
    lost.forEach(next -> firsts.put(next.requestId(), firstLost(next.lease()).orElse(next)));
    return firsts;
  }

  private Optional<Lost> firstLost(LeaseRef lease) {
    return Optional.ofNullable(firstLost.get(lease.requestId()))
        .filter(first -> first.lease().equals(lease));
  }
}
