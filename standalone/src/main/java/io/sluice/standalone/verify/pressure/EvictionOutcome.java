package io.sluice.standalone.verify.pressure;

import io.sluice.common.protocol.BulkLimits;
import io.sluice.standalone.verify.pool.Finding;
import java.time.Duration;

/**
 * What happened to bulk and interactive requests in an engine that was full of bulk.
 *
 * @param evictions how often a bulk request was evicted
 * @param isNeeded whether one had to be
 * @param bulk the number of bulk answers
 * @param equal how many of them are the uninterrupted ones
 * @param different how many are not, though the engine repeats the uninterrupted ones
 * @param interactive the number of interactive answers
 * @param slowestMillis the time that the slowest of these took
 */
record EvictionOutcome(
    long evictions,
    boolean isNeeded,
    int bulk,
    int equal,
    int different,
    int interactive,
    long slowestMillis) {
  /** The worker had no reason to evict anything. */
  static final Finding UNSEEN =
      Finding.skipped(
          "the engine was not seen above %.0f%% of its KV cache, where bulk leaves, %d times"
              .formatted(BulkLimits.EVICT_FROM_KV_USAGE * 100, EvictionCheck.ATTEMPTS));

  /** Far longer than it should take, so that a busy machine does not fail the check. */
  private static final Duration SOON = Duration.ofSeconds(30);

  /** Returns what this says of the pool. */
  Finding finding() {
    if (different > 0) {
      return Finding.broken("expected the uninterrupted answers; " + seen());
    }
    if (evictions == 0 && !isNeeded) {
      return UNSEEN;
    }
    if (evictions == 0) {
      return Finding.broken("expected bulk requests to be evicted; " + seen());
    }
    if (slowestMillis > SOON.toMillis()) {
      return Finding.broken(
          "expected interactive answers within %d s; %s".formatted(SOON.toSeconds(), seen()));
    }
    return Finding.kept(seen());
  }

  private String seen() {
    int unstable = bulk - equal - different;
    return "%d times a bulk request was evicted; %d of %d bulk answers are the uninterrupted ones%s;"
            .formatted(
                evictions,
                equal,
                bulk,
                unstable > 0 ? ", and " + unstable + " differ without any interruption too" : "")
        + " %d interactive requests were answered within %d ms"
            .formatted(interactive, slowestMillis);
  }
}
