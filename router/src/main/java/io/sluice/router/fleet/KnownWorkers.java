package io.sluice.router.fleet;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What this router knows about the workers, merged from events and complete reads of the registry
 * in any order. A read does not override what was heard after it was requested. Of two breaker
 * states the one with the higher epoch counts, so a registry that was emptied closes no breaker.
 * Time is an argument, in monotonic nanoseconds. Not thread-safe.
 */
final class KnownWorkers {
  private static final Duration FRESH_FOR = Duration.ofSeconds(1);

  /** How long a worker that is missing from a read without a sign-off counts as silent only. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(10);

  private final WorkerViews workers = new WorkerViews();
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

  /** Returns all workers by id; immutable. */
  Map<String, WorkerView> all() {
    return workers.all();
  }

  /** Returns the time until which missing heartbeats are meaningful. */
  long freshUntilNanos() {
    return freshUntilNanos;
  }

  /** Returns when the last read was requested; the start, before the first one. */
  long readAtNanos() {
    return readAtNanos;
  }

  /** A worker has registered. */
  void heard(WorkerSnapshot snapshot, long nowNanos) {
    if (workers.get(snapshot.id()) != null || hasTopic(snapshot)) {
      signedOffNanos.remove(snapshot.id());
      WorkerView view = latest(snapshot, nowNanos);
      WorkerView before = workers.put(view);
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
      WorkerView view = workers.get(workerId);
      if (view != null) {
        workers.put(view.with(breaker));
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

  /** Applies a complete read, unless a later one was applied before. */
  void read(FleetReading found, long askedNanos, long nowNanos) {
    if (everRead && askedNanos - readAtNanos < 0) {
      return;
    }
    boolean wasBlind = !everRead || askedNanos - freshUntilNanos >= 0;
    everRead = true;
    readAtNanos = askedNanos;
    freshUntilNanos = askedNanos + FRESH_FOR.toNanos();
    if (wasBlind) {
      // Silence does not count while this router was not listening.
      workers.replaceAll(
          view ->
              askedNanos - view.heardAtNanos() > 0
                  ? new WorkerView(view.snapshot(), askedNanos, view.breaker(), view.longestGap())
                  : view);
    }
    workers.expectMany();
    found.breakers().forEach(this::heard);
    for (WorkerSnapshot snapshot : found.workers()) {
      if (!isOutdated(snapshot, askedNanos)) {
        heard(snapshot, nowNanos);
      }
    }
    long forgotten = askedNanos - FORGOTTEN_AFTER.toNanos();
    workers.removeIf(
        view -> view.heardAtNanos() - forgotten < 0, view -> watcher.gone(view.snapshot().id()));
    workers.retainIn(breakers);
    workers.retainIn(rhythms);
    signedOffNanos.values().removeIf(nanos -> nanos - forgotten < 0);
  }

  private BreakerState breakerOf(String workerId) {
    return breakers.getOrDefault(workerId, BreakerState.NEW);
  }

  /** Returns whether the worker has signed off or restarted since the read. */
  private boolean isOutdated(WorkerSnapshot snapshot, long askedNanos) {
    Long signedOff = signedOffNanos.get(snapshot.id());
    WorkerView known = workers.get(snapshot.id());
    return (signedOff != null && askedNanos - signedOff <= 0)
        || (known != null
            && !known.snapshot().incarnation().equals(snapshot.incarnation())
            && askedNanos - known.heardAtNanos() < 0);
  }

  /**
   * A repeated sequence number keeps the time at which it was first seen, because the worker may be
   * dead.
   */
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

  /**
   * Anybody who can write to the registry can choose a worker name, and only some names are valid
   * topics.
   */
  private static boolean hasTopic(WorkerSnapshot snapshot) {
    try {
      return !Topics.worker(snapshot.id()).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
