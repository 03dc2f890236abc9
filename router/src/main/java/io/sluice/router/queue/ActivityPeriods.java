package io.sluice.router.queue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * For how long something has gone on happening to requests of each kind without a pause.
 * Thread-safe.
 */
final class ActivityPeriods {
  /** Kinds are named by requests; so many are remembered, those to which it happened last. */
  private static final int KINDS = 1_000;

  private record Streak(long sinceNanos, long lastNanos) {}

  /** Those to which it happened last come last. */
  private final LinkedHashMap<RequestKind, Streak> kinds = new LinkedHashMap<>();

  private final long pauseNanos;

  /**
   * Nothing has happened yet.
   *
   * @param pause if nothing happens for longer, a streak is over
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

  /** From some time, or the last pause, until it happened last; empty in a pause. */
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
