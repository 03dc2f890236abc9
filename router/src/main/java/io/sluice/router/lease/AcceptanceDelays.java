package io.sluice.router.lease;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.lease.WatchedLeases.Life;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How long workers took lately to answer assignments, and so how long to wait for an answer:
 * {@value #TIMES} times the longest delay of the last 30 to 60 seconds, but at least {@link #LEAST}
 * and at most {@link #MOST}. The delay is that of the worker itself, or one that more than half of
 * the workers had, if that is longer. So where brokers or the whole pool are slow, a router does
 * not end leases that are about to be accepted, which would only add load. One worker that is slow,
 * or was frozen, keeps only its own leases for longer.
 *
 * <p>All tasks of a process share one. Thread-safe.
 */
public final class AcceptanceDelays {
  static final Duration LEAST = Duration.ofSeconds(2);

  /**
   * Workers refuse older assignments. It only delays the discovery of a worker that sends
   * heartbeats and accepts nothing: one that is dead is silent as well.
   */
  static final Duration MOST = Assignment.MAX_AGE;

  private static final int TIMES = 2;
  private static final long PERIOD_NANOS = Duration.ofSeconds(30).toNanos();

  /** The maximum number of known worker lives. Further ones count as quick. */
  private static final int MOST_KNOWN = 4_096;

  /** The longest delay of each worker in the current period, and in the one before. */
  private Map<Life, Long> longest = new HashMap<>();

  private Map<Life, Long> longestBefore = new HashMap<>();
  private long period = Long.MIN_VALUE;

  /** Empty if it may have changed since it was calculated. */
  private OptionalLong ofMost = OptionalLong.empty();

  /** Creates an instance that knows of no delay. */
  public AcceptanceDelays() {}

  /**
   * A worker has answered an assignment.
   *
   * @param delayNanos the time from the grant of the lease to its first report
   */
  synchronized void answered(LeaseRef lease, long delayNanos, long nowNanos) {
    turn(nowNanos);
    Life life = Life.of(lease);
    Long known = longest.get(life);
    if (known == null ? longest.size() < MOST_KNOWN : delayNanos > known) {
      longest.put(life, delayNanos);
      ofMost = OptionalLong.empty();
    }
  }

  /** Returns how long to wait for the answer to an assignment, in nanoseconds. */
  synchronized long limitNanos(LeaseRef lease, long nowNanos) {
    turn(nowNanos);
    long delay = Math.max(longestOf(Life.of(lease)), longestOfMost());
    return Math.clamp(TIMES * delay, LEAST.toNanos(), MOST.toNanos());
  }

  private void turn(long nowNanos) {
    long now = Math.floorDiv(nowNanos, PERIOD_NANOS);
    if (now > period) {
      longestBefore = now - 1 == period ? longest : new HashMap<>();
      longest = new HashMap<>();
      period = now;
      ofMost = OptionalLong.empty();
    }
  }

  private long longestOf(Life life) {
    return Math.max(longest.getOrDefault(life, 0L), longestBefore.getOrDefault(life, 0L));
  }

  /**
   * Returns a delay that more than half of the workers had. One worker alone is not most of them.
   */
  private long longestOfMost() {
    if (ofMost.isEmpty()) {
      Set<Life> lives = new HashSet<>(longest.keySet());
      lives.addAll(longestBefore.keySet());
      long[] ascending = lives.stream().mapToLong(this::longestOf).sorted().toArray();
      ofMost = OptionalLong.of(ascending.length < 2 ? 0 : ascending[(ascending.length - 1) / 2]);
    }
    return ofMost.getAsLong();
  }
}
