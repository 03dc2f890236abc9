package io.sluice.router.lease;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.lease.WatchedLeases.Watched;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Which leases of one task were not accepted in time, and how long the acceptance of the others
 * took. The delays of leases that were taken back count as well, once their workers answer. If they
 * did not, no delay above the limit would ever be seen, and the limit could not grow. All delays
 * end at the {@linkplain OutcomeWatermark watermark}, so they do not include the task's own
 * backlog. Not thread-safe.
 */
final class AcceptanceWatch {
  /** The maximum number of leases that are remembered after they were taken back. */
  private static final int MOST_OVERDUE = 1_024;

  /** How long after the grant of a lease that was taken back an answer still counts. */
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  private final AcceptanceDelays delays;

  /** When the leases that were taken back were given, by lease, oldest first. */
  private final SequencedMap<LeaseRef, Long> overdue = new LinkedHashMap<>();

  private long watchedSinceNanos;

  AcceptanceWatch(AcceptanceDelays delays, long nowNanos) {
    this.delays = delays;
    this.watchedSinceNanos = nowNanos;
  }

  /** The worker of a lease reported it for the first time. */
  void accepted(Watched lease, long heardNanos, long nowNanos) {
    answered(lease.lease(), lease.sinceNanos(), heardNanos, nowNanos);
  }

  /** A worker reported, for a lease that may have been taken back. */
  void reported(LeaseRef lease, long heardNanos, long nowNanos) {
    if (overdue.isEmpty()) {
      return;
    }
    Long givenNanos = overdue.remove(lease);
    if (givenNanos != null) {
      answered(lease, givenNanos, heardNanos, nowNanos);
    }
  }

  private void answered(LeaseRef lease, long givenNanos, long heardNanos, long nowNanos) {
    if (givenNanos - watchedSinceNanos >= 0) {
      delays.answered(lease, heardNanos - givenNanos, nowNanos);
    }
  }

  /** Returns whether a lease without an acceptance is to be taken back. */
  boolean isOverdue(Watched lease, long heardNanos, long nowNanos) {
    return heardNanos - lease.sinceNanos() > delays.limitNanos(lease.lease(), nowNanos);
  }

  /** A lease is taken back because it was not accepted in time. */
  void takenBack(Watched lease, long nowNanos) {
    long forgottenNanos = nowNanos - REMEMBERED.toNanos();
    while (!overdue.isEmpty() && overdue.firstEntry().getValue() - forgottenNanos < 0) {
      overdue.pollFirstEntry();
    }
    // The oldest ones are kept, because they are answered first.
    if (overdue.size() < MOST_OVERDUE) {
      overdue.putIfAbsent(lease.lease(), lease.sinceNanos());
    }
  }

  /** This process did not run for a while. Delays that began before do not count. */
  void paused(long nowNanos) {
    watchedSinceNanos = nowNanos;
  }
}
