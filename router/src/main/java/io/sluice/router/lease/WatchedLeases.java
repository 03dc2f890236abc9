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
 * The leases of one task: of the longest silence first, and by the life of the worker that has
 * them, so that what a look at them costs does not grow with those that are well. Not thread-safe.
 */
final class WatchedLeases {
  /** From a worker's start to its end. */
  record Life(String worker, String incarnation) {
    static Life of(LeaseRef lease) {
      return new Life(lease.worker(), lease.incarnation());
    }
  }

  /** One of them. */
  static final class Watched {
    private final LeaseRef lease;
    private boolean wasHeard;
    private boolean isWatched;

    /** When it was given, until it is accepted; then when it was heard of last. */
    private long sinceNanos;

    private Watched(LeaseRef lease, long nowNanos) {
      this.lease = lease;
      this.sinceNanos = nowNanos;
    }

    LeaseRef lease() {
      return lease;
    }

    /** Whether its worker had told this router that it has it. */
    boolean wasHeard() {
      return wasHeard;
    }

    /** Whether this router was there ever since. */
    boolean isWatched() {
      return isWatched;
    }
  }

  private final SequencedMap<String, Watched> unaccepted = new LinkedHashMap<>();
  private final SequencedMap<String, Watched> accepted = new LinkedHashMap<>();
  private final Map<Life, SequencedMap<String, Watched>> byLife = new HashMap<>();

  /** One was given just now. */
  void give(LeaseRef lease, long nowNanos) {
    add(unaccepted, lease, nowNanos);
  }

  /** One was found that was given before; it is taken for accepted. */
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

  /** Its worker has it. */
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

  boolean isAccepted(String requestId) {
    return accepted.containsKey(requestId);
  }

  boolean isEmpty() {
    return byLife.isEmpty();
  }

  /** Those that were given before a moment and are not accepted yet. */
  List<Watched> unacceptedSince(long nanos) {
    return before(unaccepted, nanos);
  }

  /** Those that are accepted and were not heard of since a moment. */
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

  /** The lives of workers that have any of them. */
  Set<Life> lives() {
    return byLife.keySet();
  }

  /** Those that one worker has. */
  List<Watched> of(Life life) {
    return List.copyOf(byLife.getOrDefault(life, new LinkedHashMap<>()).values());
  }

  /** Nobody listened for a while: what was not heard in that time proves nothing. */
  void notListened(long nowNanos) {
    for (Watched watched : accepted.values()) {
      watched.sinceNanos = nowNanos;
      watched.isWatched = false;
    }
  }
}
