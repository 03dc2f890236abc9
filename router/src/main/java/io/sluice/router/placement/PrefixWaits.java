package io.sluice.router.placement;

import io.sluice.router.policy.Decision;
import io.sluice.router.policy.PrefixWait;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Requests that could be dispatched and wait instead for a worker that has more of their prompt
 * cached. Each waits once, for a limited time. Not thread-safe.
 */
public final class PrefixWaits {
  /** A request that would be in time now is dispatched before this much of its time is left. */
  private static final double MARGIN_MILLIS = 50;

  private final Map<String, Wait> byRequest = new HashMap<>();

  private record Wait(long sinceNanos, long untilNanos) {}

  /**
   * Until when a request that could be dispatched should wait, in epoch milliseconds; empty if it
   * should be dispatched. It never waits for longer than half of the time to its deadline, and not
   * if its first token would be late for that.
   *
   * @param firstTokenByMillis when its first token has to be there, in epoch milliseconds; empty if
   *     that does not matter
   */
  OptionalLong until(
      RequestMetadata metadata, Decision decision, OptionalLong firstTokenByMillis, TimePoint now) {
    double leftMillis = firstTokenByMillis.orElse(Long.MAX_VALUE) - now.epochMillis();
    double toSpare = leftMillis - decision.millisToFirstToken();
    Optional<PrefixWait> worthwhile =
        decision
            .prefixWait()
            .filter(wait -> wait.millisToFirstToken() <= leftMillis)
            .filter(wait -> toSpare < 0 || toSpare > MARGIN_MILLIS);
    if (worthwhile.isEmpty()) {
      return OptionalLong.empty();
    }
    double most = Math.min(worthwhile.get().mostMillis(), metadata.remainingMillis(now) / 2.0);
    Wait known = byRequest.get(metadata.requestId());
    long since = known == null ? now.nanos() : known.sinceNanos();
    Wait wait = new Wait(since, since + Math.round(most * 1e6));
    byRequest.put(metadata.requestId(), wait);
    double millis = (wait.untilNanos() - now.nanos()) / 1e6;
    return millis > 0
        ? OptionalLong.of(
            now.epochMillis() + (long) Math.ceil(toSpare < 0 ? millis : Math.min(millis, toSpare)))
        : OptionalLong.empty();
  }

  /** Whether a request waits, or would if the workers with room had not lost it meanwhile. */
  public boolean isWaiting(String requestId, TimePoint now) {
    Wait wait = byRequest.get(requestId);
    return wait != null && now.nanos() < wait.untilNanos();
  }

  /** For how long a request has waited although it could be dispatched, in milliseconds. */
  public long waitedMillis(String requestId, TimePoint now) {
    Wait wait = byRequest.get(requestId);
    return wait == null
        ? 0
        : (Math.min(now.nanos(), wait.untilNanos()) - wait.sinceNanos()) / 1_000_000;
  }

  /** The request no longer waits. */
  public void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
