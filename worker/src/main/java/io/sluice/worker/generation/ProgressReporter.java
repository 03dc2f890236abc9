package io.sluice.worker.generation;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.reply.ReplyLog;
import java.time.Duration;

/**
 * Keeps a lease alive: reports progress every {@value #INTERVAL_SECONDS} s, well within the six
 * after which the router gives a silent lease up, and at the same moments as all others of this
 * process, so that these reports can go together. Ticked by the generation's own thread, so that
 * one which hangs is found out.
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

  /** How long until the next report is due; zero if it is. */
  Duration untilDue() {
    long dueNanos = (Math.floorDiv(lastNanos, INTERVAL.toNanos()) + 1) * INTERVAL.toNanos();
    Duration left = Duration.ofNanos(dueNanos - ticker.nanos());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Reports if that is due. */
  void tick(int acknowledgedTokens) {
    if (untilDue().isZero()) {
      lastNanos = ticker.nanos();
      log.progress(requestPartition, lease, new Outcome.Progress(acknowledgedTokens));
    }
  }
}
