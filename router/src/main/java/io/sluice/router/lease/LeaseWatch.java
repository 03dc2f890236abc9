package io.sluice.router.lease;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Judges whether the leases of one task are alive, by the worker's acceptance, its progress reports
 * and its heartbeats. Silence counts only as far as this router has read: acceptance and progress
 * up to the {@linkplain OutcomeWatermark watermark} of the outcomes, heartbeats up to the last read
 * of the registry ({@link WorkerLiveness}). So a router that is behind with reading, for whatever
 * load, ends no lease for that. While the watermark does not advance, only heartbeats and deadlines
 * end leases. Not thread-safe.
 */
public final class LeaseWatch {
  public static final Duration PROGRESS_WITHIN = Duration.ofSeconds(6);

  /** No lease is lost for this long after a start or after a pause of this process. */
  public static final Duration SETTLE = Duration.ofSeconds(2);

  /**
   * Shorter than all the periods above. After a longer pause of this process, none of them proves
   * anything.
   */
  static final Duration OWN_PAUSE = Duration.ofMillis(700);

  /** Why a lease is lost. */
  public enum Verdict {
    NOT_ACCEPTED,
    WORKER_GONE,
    WORKER_RESTARTED,
    WORKER_SILENT,
    NO_PROGRESS;

    /** Returns the stable name that programs compare with, such as {@code worker_gone}. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A lost lease.
   *
   * @param verdict the first verdict still applies if the worker disappears later
   * @param wasHeard whether the worker had told this router that it has the request
   * @param isWatched whether this router has watched without a pause since then
   * @param sinceNanos when the loss was first seen, if it was seen at every check since then
   */
  public record Lost(
      LeaseRef lease, Verdict verdict, boolean wasHeard, boolean isWatched, long sinceNanos) {
    public String requestId() {
      return lease.requestId();
    }
  }

  /**
   * Which workers are silent, for one check. The whole fleet is evaluated only if any worker is
   * silent.
   */
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
     * If more than half of the fleet falls silent at once, the cause is more likely the network
     * than the workers.
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
  private final OutcomeWatermark watermark;
  private final WorkerLiveness life;
  private final AcceptanceWatch acceptance;

  /** The leases that were lost at the last check, as they were first seen. */
  private Map<String, Lost> firstLost = Map.of();

  private long settledAtNanos;
  private long checkedNanos;

  public LeaseWatch(
      OutcomeWatermark watermark, WorkerLiveness life, AcceptanceDelays delays, long nowNanos) {
    this.watermark = watermark;
    this.life = life;
    acceptance = new AcceptanceWatch(delays, nowNanos);
    settledAtNanos = nowNanos + SETTLE.toNanos();
    checkedNanos = nowNanos;
  }

  /** A lease was given. */
  public void begin(LeaseRef lease, long nowNanos) {
    leases.give(lease, nowNanos);
  }

  /** A lease from before this task was found. Whether it was accepted is not known. */
  public void restore(LeaseRef lease, long nowNanos) {
    leases.find(lease, nowNanos);
  }

  /** A worker reported, for any lease. */
  public void reported(LeaseRef lease, long nowNanos) {
    long heardNanos = watermark.throughNanos(nowNanos);
    life.reported(lease, heardNanos);
    if (!wasPaused(nowNanos)) {
      acceptance.reported(lease, heardNanos, nowNanos);
    }
  }

  /** Returns whether this is the lease that is known for its request. */
  public boolean isCurrent(LeaseRef lease) {
    return leases.of(lease.requestId()).filter(known -> known.lease().equals(lease)).isPresent();
  }

  /** The worker of a request reported. */
  public void heard(String requestId, long nowNanos) {
    if (!wasPaused(nowNanos)) {
      leases
          .unaccepted(requestId)
          .ifPresent(
              lease -> acceptance.accepted(lease, watermark.throughNanos(nowNanos), nowNanos));
    }
    leases.heard(requestId, nowNanos);
  }

  /**
   * Returns whether the worker is known to have the request. For a lease that was found this is
   * assumed.
   */
  public boolean isAccepted(String requestId) {
    return leases.isAccepted(requestId);
  }

  public void end(String requestId) {
    leases.remove(requestId);
  }

  /** Returns whether no lease is watched. */
  public boolean isEmpty() {
    return leases.isEmpty();
  }

  /** Returns the lost leases. Call this every few tens of milliseconds. */
  public List<Lost> lost(FleetSnapshot fleet, long nowNanos) {
    if (wasPaused(nowNanos)) {
      settle(nowNanos);
    }
    checkedNanos = nowNanos;
    if (leases.isEmpty() || nowNanos - settledAtNanos < 0) {
      return List.of();
    }
    Map<WatchedLeases.Watched, Verdict> verdicts = new LinkedHashMap<>();
    long heardNanos = watermark.throughNanos(nowNanos);
    leases.unacceptedSince(heardNanos - AcceptanceDelays.LEAST.toNanos()).stream()
        .filter(lease -> acceptance.isOverdue(lease, heardNanos, nowNanos))
        .forEach(
            lease -> {
              acceptance.takenBack(lease, nowNanos);
              verdicts.put(lease, Verdict.NOT_ACCEPTED);
            });
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

  /** Returns whether this process did not run for a while before now. */
  private boolean wasPaused(long nowNanos) {
    return nowNanos - checkedNanos > OWN_PAUSE.toNanos();
  }

  private void settle(long nowNanos) {
    settledAtNanos = nowNanos + SETTLE.toNanos();
    leases.notListened(nowNanos);
    acceptance.paused(nowNanos);
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
