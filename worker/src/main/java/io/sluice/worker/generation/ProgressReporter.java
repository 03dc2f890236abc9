package io.sluice.worker.generation;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.reply.ReplyLog;
import java.time.Duration;

/**
 * Keeps a lease alive by reporting progress every {@value #INTERVAL_SECONDS} s. The router ends a
 * lease without progress after 6 s. All leases of a process report at the same moments, so that
 * their reports share a record. The generation's own thread calls this, so that a hanging
 * generation is noticed.
 */
final class ProgressReporter {
  private static final int INTERVAL_SECONDS = 2;
  private static final Duration INTERVAL = Duration.ofSeconds(INTERVAL_SECONDS);

  private final ReplyLog log;
  private final Ticker ticker;
  private final LeaseRef lease;
  private final int requestPartition;
  private long lastNanos;

  ProgressReporter(ReplyLog log, Ticker ticker, LeaseRef lease, int requestPartition) {
    this.log = log;
    this.ticker = ticker;
    this.lease = lease;
    this.requestPartition = requestPartition;
    this.lastNanos = ticker.nanos();
  }

  /** Returns the time until the next report is due; zero if it is due. */
  Duration untilDue() {
    long dueNanos = (Math.floorDiv(lastNanos, INTERVAL.toNanos()) + 1) * INTERVAL.toNanos();
    Duration left = Duration.ofNanos(dueNanos - ticker.nanos());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Reports progress if that is due. */
  void tick(int acknowledgedTokens) {
    if (untilDue().isZero()) {
      report(acknowledgedTokens);
    }
  }

  /** Reports progress now. */
  void report(int acknowledgedTokens) {
    lastNanos = ticker.nanos();
    log.progress(requestPartition, lease, new Outcome.Progress(acknowledgedTokens));
  }
}
