package io.sluice.router.lease;

import io.sluice.common.protocol.Outcome;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a failed request is tried again: elsewhere and at once after an engine's first failure, ever
 * later after more of them, after the time it asks for when an engine is overloaded, but never
 * later than half of what is left until the deadline.
 *
 * @param maxFailures attempts that may fail in the engine before the caller is told
 */
public record RetryPolicy(int maxFailures) {
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(25);
  private static final int MAX_DOUBLINGS = 8;

  public boolean exhausted(History history) {
    return history.failures() >= maxFailures;
  }

  /** The time before which it is not sent again, epoch milliseconds; jittered by half. */
  public long notBefore(
      Outcome.Failed failure,
      History history,
      RequestMetadata metadata,
      long nowMillis,
      RandomGenerator random) {
    if (failure.blamesEngine() && history.failures() == 1 && failure.retryAfterMillis().isEmpty()) {
      return nowMillis;
    }
    int doublings = Math.clamp(history.attempts() - 1, 0, MAX_DOUBLINGS);
    long wanted = failure.retryAfterMillis().orElse(FIRST_BACKOFF.toMillis() << doublings);
    long most = Math.max(0, (metadata.deadlineEpochMillis() - nowMillis) / 2);
    long wait = Math.min(wanted, most);
    return nowMillis + wait / 2 + random.nextLong(wait / 2 + 1);
  }
}
