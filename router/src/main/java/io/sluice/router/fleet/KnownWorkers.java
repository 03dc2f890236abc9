package io.sluice.router.fleet;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What this router knows of the workers, merged from the registry's events and readings, in
 * whatever order these come: a reading tells nothing against what was heard since it was asked for,
 * and of two states of a breaker the one with the higher epoch counts, so that a registry that was
 * emptied closes none. Time is an argument, in monotonic nanoseconds. Not thread-safe.
 */
final class KnownWorkers {
  private static final Duration FRESH_FOR = Duration.ofSeconds(1);

  /** A worker that is missing from a reading, but did not sign off, is only silent for so long. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

  private final Map<String, WorkerView> workers = new TreeMap<>();
  private final Map<String, Long> signedOffNanos = new HashMap<>();
  private final Map<String, HeartbeatIntervals> rhythms = new HashMap<>();
  private final Map<String, BreakerState> breakers = new HashMap<>();
  private final FleetWatcher watcher;
  private boolean everRead;
  private long readAtNanos;
  private long freshUntilNanos;

  KnownWorkers(FleetWatcher watcher, long nowNanos) {
    this.watcher = watcher;
    readAtNanos = nowNanos;
    freshUntilNanos = nowNanos;
  }

  /** All of them, by id; immutable. */
  Map<String, WorkerView> all() {
    return OrderedWorkers.of(workers);
  }

  /** Until when the absence of heartbeats means something. */
  long freshUntilNanos() {
    return freshUntilNanos;
  }

  /** When the last reading was asked for; before the first one, the beginning. */
  long readAtNanos() {
    return readAtNanos;
  }

  /** A worker has made itself known. */
  void heard(WorkerSnapshot snapshot, long nowNanos) {
    if (hasTopic(snapshot)) {
      signedOffNanos.remove(snapshot.id());
      WorkerView view = latest(snapshot, nowNanos);
      WorkerView before = workers.put(snapshot.id(), view);
      if (before == null) {
        watcher.appeared(snapshot.id(), view.breaker());
      }
      if (!view.snapshot().engineUp() && (before == null || before.snapshot().engineUp())) {
        watcher.engineDown(snapshot.id());
      }
    }
  }

  /** A breaker has changed. */
  void heard(String workerId, BreakerState breaker) {
    BreakerState known = breakerOf(workerId);
    if (breaker.epoch() > known.epoch()) {
      breakers.put(workerId, breaker);
      if (workers.computeIfPresent(workerId, (id, view) -> view.with(breaker)) != null) {
        watcher.breakerChanged(workerId, known, breaker);
      }
    }
  }

  /** A worker has signed off. */
  void signedOff(String workerId, long nowNanos) {
    if (workers.remove(workerId) != null) {
      watcher.gone(workerId);
    }
    signedOffNanos.put(workerId, nowNanos);
  }

  /** Takes a whole reading, unless one that was asked for later was taken before it. */
  void read(FleetReading found, long askedNanos, long nowNanos) {
    if (everRead && askedNanos - readAtNanos < 0) {
      return;
    }
    boolean wasBlind = !everRead || askedNanos - freshUntilNanos >= 0;
    everRead = true;
    readAtNanos = askedNanos;
    freshUntilNanos = askedNanos + FRESH_FOR.toNanos();
    if (wasBlind) {
      // Nobody's silence counts while we were not listening.
      workers.replaceAll(
          (id, view) ->
              askedNanos - view.heardAtNanos() > 0
                  ? new WorkerView(view.snapshot(), askedNanos, view.breaker(), view.longestGap())
                  : view);
    }
    found.breakers().forEach(this::heard);
    for (WorkerSnapshot snapshot : found.workers()) {
      if (!isOutdated(snapshot, askedNanos)) {
        heard(snapshot, nowNanos);
      }
    }
    long forgotten = askedNanos - FORGOTTEN_AFTER.toNanos();
    workers.values().removeIf(view -> isForgotten(view, forgotten));
    breakers.keySet().retainAll(workers.keySet());
    rhythms.keySet().retainAll(workers.keySet());
    signedOffNanos.values().removeIf(nanos -> nanos - forgotten < 0);
  }

  private boolean isForgotten(WorkerView view, long forgottenNanos) {
    boolean isForgotten = view.heardAtNanos() - forgottenNanos < 0;
    if (isForgotten) {
      watcher.gone(view.snapshot().id());
    }
    return isForgotten;
  }

  private BreakerState breakerOf(String workerId) {
    return breakers.getOrDefault(workerId, BreakerState.NEW);
  }

  /** Whether the worker signed off, or came back as another incarnation, since the reading. */
  private boolean isOutdated(WorkerSnapshot snapshot, long askedNanos) {
    Long signedOff = signedOffNanos.get(snapshot.id());
    WorkerView known = workers.get(snapshot.id());
    return (signedOff != null && askedNanos - signedOff <= 0)
        || (known != null
            && !known.snapshot().incarnation().equals(snapshot.incarnation())
            && askedNanos - known.heardAtNanos() < 0);
  }

  /** A repeat of a sequence keeps the time at which it was first heard: the worker may be dead. */
  private WorkerView latest(WorkerSnapshot snapshot, long nowNanos) {
    WorkerView known = workers.get(snapshot.id());
    boolean isNew = known == null || !known.snapshot().incarnation().equals(snapshot.incarnation());
    if (known != null && !isNew && known.snapshot().sequence() >= snapshot.sequence()) {
      return known;
    }
    HeartbeatIntervals rhythm =
        rhythms.computeIfAbsent(snapshot.id(), id -> new HeartbeatIntervals(nowNanos));
    if (known != null && !isNew) {
      rhythm.gap(nowNanos - known.heardAtNanos(), nowNanos);
    }
    return new WorkerView(snapshot, nowNanos, breakerOf(snapshot.id()), rhythm.longest());
  }

  /** Whoever writes to the registry may call himself what he likes; only some names are topics. */
  private static boolean hasTopic(WorkerSnapshot snapshot) {
    try {
      return !Topics.worker(snapshot.id()).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
