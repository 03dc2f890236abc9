package io.sluice.worker.evict;

import io.sluice.common.protocol.BulkLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Chooses the bulk requests that a worker evicts to make room for others. Their tokens are kept. It
 * evicts when the KV cache use is above {@value BulkLimits#EVICT_FROM_KV_USAGE}, down to an
 * estimated {@value #EVICT_TO_KV_USAGE}, and when so many requests run that an interactive one
 * might find no slot. The newest request goes first, because it has lost and waited the least.
 * Requests whose tokens would be lost go only if the others do not suffice.
 *
 * <p>Never evicted are requests that are about to finish (fewer than {@value #FEW_TOKENS} tokens
 * left, or nine tenths generated), requests that were evicted before and have generated fewer than
 * {@value #MORE_TOKENS} tokens since, and requests that were evicted {@value #MOST_EVICTIONS}
 * times. So every request makes progress, and an eviction wastes at most the prefill of the evicted
 * request.
 *
 * <p>After a choice the evictor waits for a second, until the engine's metrics show the effect. Not
 * thread-safe.
 */
public final class Evictor {
  /** Where eviction ends, so that it is not due again at the next token. */
  static final double EVICT_TO_KV_USAGE = 0.75;

  static final int FEW_TOKENS = 64;
  static final int MORE_TOKENS = 256;
  static final int MOST_EVICTIONS = 3;

  private static final double NEARLY_ALL = 0.9;
  private static final Duration EFFECT = Duration.ofSeconds(1);

  private static final Comparator<RunningRequest> ORDER =
      Comparator.comparing(Evictor::losesTokens)
          .thenComparing(RunningRequest::sinceNanos, Comparator.reverseOrder())
          .thenComparing(RunningRequest::lease);

  private boolean isWaiting;
  private long lastNanos;

  /**
   * Chooses the requests to evict now.
   *
   * @param running all requests in the engine, except those that are being stopped
   * @param kvUsage the engine's KV cache use, 0 to 1; if empty, only slots count
   * @param slots how many requests may run at once
   * @param nowNanos monotonic time
   * @return the requests in the order of eviction; may be empty
   */
  public List<RunningRequest> choose(
      List<RunningRequest> running, OptionalDouble kvUsage, int slots, long nowNanos) {
    if (isWaiting && nowNanos - lastNanos < EFFECT.toNanos()) {
      return List.of();
    }
    isWaiting = false;
    double tokens = tokensTooMany(running, kvUsage.orElse(0));
    int requests = requestsTooMany(running.size(), slots);
    List<RunningRequest> chosen = new ArrayList<>();
    for (RunningRequest request :
        running.stream().filter(Evictor::mayLeave).sorted(ORDER).toList()) {
      if (tokens <= 0 && chosen.size() >= requests) {
        break;
      }
      chosen.add(request);
      tokens -= request.contextTokens();
    }
    isWaiting = !chosen.isEmpty();
    lastNanos = nowNanos;
    return chosen;
  }

  /** Assumes that each request uses the cache in proportion to its context. */
  private static double tokensTooMany(List<RunningRequest> running, double kvUsage) {
    if (kvUsage <= BulkLimits.EVICT_FROM_KV_USAGE) {
      return 0;
    }
    long all = running.stream().mapToLong(RunningRequest::contextTokens).sum();
    return all * (kvUsage - EVICT_TO_KV_USAGE) / kvUsage;
  }

  private static int requestsTooMany(int running, int slots) {
    return running > BulkLimits.crowdedSlots(slots) ? running - BulkLimits.slotsForBulk(slots) : 0;
  }

  private static boolean mayLeave(RunningRequest request) {
    boolean isRested = request.evictions() == 0 || request.addedTokens() >= MORE_TOKENS;
    return request.isBulk()
        && request.evictions() < MOST_EVICTIONS
        && isRested
        && !isNearlyDone(request);
  }

  private static boolean isNearlyDone(RunningRequest request) {
    if (request.maxTokens().isEmpty()) {
      return false;
    }
    int most = request.maxTokens().getAsInt();
    // A short answer that has not begun has few tokens left, but all of its work.
    return request.outputTokens() > 0
        && (most - request.outputTokens() < FEW_TOKENS
            || request.outputTokens() > NEARLY_ALL * most);
  }

  private static boolean losesTokens(RunningRequest request) {
    return !request.isResumable() && request.outputTokens() > 0;
  }
}
