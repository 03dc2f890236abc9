package io.sluice.router.queue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;

/** How long something has kept happening to requests of each kind without a pause. Thread-safe. */
final class ActivityPeriods {
  /**
   * Callers choose the kinds, so their number is bounded. The most recently active ones are kept.
   */
  private static final int KINDS = 1_000;

  private record Streak(long sinceNanos, long lastNanos) {}

  /** In the order of the last activity, the most recent one last. */
  private final LinkedHashMap<RequestKind, Streak> kinds = new LinkedHashMap<>();

  private final long pauseNanos;

  /**
   * Creates an instance without any activity.
   *
   * @param pause a longer time without activity ends a period
   */
  ActivityPeriods(Duration pause) {
    this.pauseNanos = pause.toNanos();
  }

  /** It has happened to a request. */
  synchronized void happened(RequestKind kind, long nowNanos) {
    forget(nowNanos);
    Streak streak = kinds.get(kind);
    long since = streak == null ? nowNanos : streak.sinceNanos();
    kinds.putLast(kind, new Streak(since, nowNanos));
  }

  /**
   * Returns the time from the given start, or from the last pause, to the last activity; empty
   * during a pause.
   */
  synchronized Optional<Duration> lasting(RequestKind kind, long fromNanos, long nowNanos) {
    Streak streak = kinds.get(kind);
    if (streak == null || isOver(streak, nowNanos)) {
      return Optional.empty();
    }
    long nanos = Math.min(streak.lastNanos() - streak.sinceNanos(), streak.lastNanos() - fromNanos);
    return Optional.of(Duration.ofNanos(Math.max(0, nanos)));
  }

  private void forget(long nowNanos) {
    while (kinds.size() > KINDS
        || (!kinds.isEmpty() && isOver(kinds.firstEntry().getValue(), nowNanos))) {
      kinds.pollFirstEntry();
    }
  }

  private boolean isOver(Streak streak, long nowNanos) {
    return nowNanos - streak.lastNanos() > pauseNanos;
  }
}
