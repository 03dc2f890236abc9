package io.sluice.router.lease;

import io.sluice.common.protocol.Outcome;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a failed request is tried again. After the first failure of an engine it goes elsewhere at
 * once. After further failures the backoff grows. An overloaded engine may ask for a time. The wait
 * never exceeds half of the time left until the deadline.
 *
 * @param maxFailures how many attempts may fail in the engine before the caller gets an error
 */
public record RetryPolicy(int maxFailures) {
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(25);
  private static final int MAX_DOUBLINGS = 8;

  public boolean exhausted(History history) {
    return history.failures() >= maxFailures;
  }

  /**
   * Returns the time before which the request is not sent again, epoch milliseconds, with a jitter
   * of half the wait.
   */
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
    long wait = Math.clamp(wanted, 0, most);
    return nowMillis + wait / 2 + random.nextLong(wait / 2 + 1);
  }
}
