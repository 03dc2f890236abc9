package io.sluice.worker.generation;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Priority;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;

/** How long an answer is wanted, and how urgently. The router may amend both. Thread-safe. */
final class LeaseTerm {
  private final Ticker ticker;
  private volatile Wanted wanted;

  /** The milliseconds count from a moment of the ticker. */
  private record Wanted(Priority priority, long millis, long sinceNanos) {}

  LeaseTerm(AssignedRequest request, Ticker ticker) {
    this.ticker = ticker;
    this.wanted =
        new Wanted(
            request.assignment().priority(),
            request.assignment().remainingMillis(),
            request.receivedNanos());
  }

  void amend(Amendment amendment) {
    wanted = new Wanted(amendment.priority(), amendment.remainingMillis(), ticker.nanos());
  }

  Priority priority() {
    return wanted.priority();
  }

  /** Returns the time until the deadline; zero if it has passed. */
  Duration left() {
    Wanted current = wanted;
    Duration left = Duration.ofMillis(current.millis()).minus(ticker.since(current.sinceNanos()));
    return left.isNegative() ? Duration.ZERO : left;
  }
}
