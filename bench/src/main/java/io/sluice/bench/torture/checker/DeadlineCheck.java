package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.RequestLog;

/**
 * Checks that a request ended soon enough. It uses the clock of this process, since brokers' clocks
 * may be skewed.
 */
final class DeadlineCheck {
  private DeadlineCheck() {}

  static void check(Evidence evidence, ReplyRecord end, Verdict verdict) {
    RequestLog log = evidence.log();
    long ended = end.seenMillis();
    long deadline = log.seenMillis().orElse(ended) + evidence.request().timeout().toMillis();
    verdict.inTime(
        ended - deadline <= evidence.allowance().grace(deadline, ended).toMillis(),
        "it ended %d ms after its deadline".formatted(ended - deadline));
    log.cancelMillis()
        .ifPresent(
            cancelled ->
                verdict.inTime(
                    ended - cancelled <= evidence.allowance().grace(cancelled, ended).toMillis(),
                    "it ended %d ms after it was cancelled".formatted(ended - cancelled)));
  }
}
