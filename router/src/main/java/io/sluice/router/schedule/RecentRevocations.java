package io.sluice.router.schedule;

import io.sluice.common.protocol.LeaseRef;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * The revocations that reports caused lately. A worker reports a lease that ended until it knows of
 * that, and a router that is behind reads many such reports at once: one revocation answers all of
 * them. A later report, if the revocation was lost, causes another one. Not thread-safe.
 */
final class RecentRevocations {
  /** Less than the time between two progress reports of a lease. */
  static final Duration REPEATED_AFTER = Duration.ofSeconds(1);

  /** The maximum number of remembered revocations. A report of an older one causes another one. */
  private static final int MOST = 4_096;

  private final SequencedMap<LeaseRef, Long> sentNanos = new LinkedHashMap<>();

  /** Returns whether to revoke a lease now. If so, it counts as revoked. */
  boolean isDue(LeaseRef lease, long nowNanos) {
    Long sent = sentNanos.get(lease);
    if (sent != null && nowNanos - sent < REPEATED_AFTER.toNanos()) {
      return false;
    }
    sentNanos.putLast(lease, nowNanos);
    if (sentNanos.size() > MOST) {
      sentNanos.pollFirstEntry();
    }
    return true;
  }
}
