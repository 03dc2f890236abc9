package io.sluice.router.lease;

import io.sluice.common.protocol.LeaseRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The leases of one task, ordered by the length of silence and indexed by worker life, so that a
 * check does not get slower with the number of healthy leases. Not thread-safe.
 */
final class WatchedLeases {
  /** One life of a worker, from its start to its end. */
  record Life(String worker, String incarnation) {
    static Life of(LeaseRef lease) {
      return new Life(lease.worker(), lease.incarnation());
    }
  }

  /** One watched lease. */
  static final class Watched {
    private final LeaseRef lease;
    private boolean wasHeard;
    private boolean isWatched;
    private long sinceNanos;

    private Watched(LeaseRef lease, long nowNanos) {
      this.lease = lease;
      this.sinceNanos = nowNanos;
    }

    LeaseRef lease() {
      return lease;
    }

    /**
     * Returns the time of the grant until the lease is accepted, then the time of the last report.
     */
    long sinceNanos() {
      return sinceNanos;
    }

    /** Returns whether the worker had told this router that it has the request. */
    boolean wasHeard() {
      return wasHeard;
    }

    /** Returns whether this router has watched without a pause since then. */
    boolean isWatched() {
      return isWatched;
    }
  }

  private final SequencedMap<String, Watched> unaccepted = new LinkedHashMap<>();
  private final SequencedMap<String, Watched> accepted = new LinkedHashMap<>();
  private final Map<Life, SequencedMap<String, Watched>> byLife = new HashMap<>();

  /** A lease was given now. */
  void give(LeaseRef lease, long nowNanos) {
    add(unaccepted, lease, nowNanos);
  }

  /** A lease from before this task was found. It is assumed to be accepted. */
  void find(LeaseRef lease, long nowNanos) {
    add(accepted, lease, nowNanos);
  }

  private void add(SequencedMap<String, Watched> leases, LeaseRef lease, long nowNanos) {
    remove(lease.requestId());
    var watched = new Watched(lease, nowNanos);
    leases.putLast(lease.requestId(), watched);
    byLife
        .computeIfAbsent(Life.of(lease), life -> new LinkedHashMap<>())
        .put(lease.requestId(), watched);
  }

  /** The worker has the request. */
  void heard(String requestId, long nowNanos) {
    Watched first = unaccepted.remove(requestId);
    Watched watched = first == null ? accepted.get(requestId) : first;
    if (watched != null) {
      watched.wasHeard = true;
      watched.isWatched = true;
      watched.sinceNanos = nowNanos;
      accepted.putLast(requestId, watched);
    }
  }

  void remove(String requestId) {
    Optional<Watched> removed = of(requestId);
    unaccepted.remove(requestId);
    accepted.remove(requestId);
    removed
        .map(watched -> Life.of(watched.lease))
        .ifPresent(
            life ->
                byLife.computeIfPresent(
                    life,
                    (same, leases) -> {
                      leases.remove(requestId);
                      return leases.isEmpty() ? null : leases;
                    }));
  }

  Optional<Watched> of(String requestId) {
    return Optional.ofNullable(unaccepted.getOrDefault(requestId, accepted.get(requestId)));
  }

  /** Returns the lease of a request, if it was given here and is not accepted yet. */
  Optional<Watched> unaccepted(String requestId) {
    return Optional.ofNullable(unaccepted.get(requestId));
  }

  boolean isAccepted(String requestId) {
    return accepted.containsKey(requestId);
  }

  boolean isEmpty() {
    return byLife.isEmpty();
  }

  /** Returns the leases that were given before a time and are not accepted yet. */
  List<Watched> unacceptedSince(long nanos) {
    return before(unaccepted, nanos);
  }

  /** Returns the accepted leases without a report since a time. */
  List<Watched> unheardSince(long nanos) {
    return before(accepted, nanos);
  }

  private static List<Watched> before(SequencedMap<String, Watched> oldestFirst, long nanos) {
    List<Watched> before = new ArrayList<>();
    for (Watched watched : oldestFirst.values()) {
      if (watched.sinceNanos - nanos >= 0) {
        break;
      }
      before.add(watched);
    }
    return before;
  }

  /** Returns the worker lives that have leases. */
  Set<Life> lives() {
    return byLife.keySet();
  }

  /** Returns the leases of one worker life. */
  List<Watched> of(Life life) {
    return List.copyOf(byLife.getOrDefault(life, new LinkedHashMap<>()).values());
  }

  /** This process was paused: missing reports in that time prove nothing. */
  void notListened(long nowNanos) {
    for (Watched watched : accepted.values()) {
      watched.sinceNanos = nowNanos;
      watched.isWatched = false;
    }
  }
}
