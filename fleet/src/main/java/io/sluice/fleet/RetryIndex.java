package io.sluice.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Which pool request an HTTP request began, so that a retry, at any gateway, gets its answer
 * instead of a second one. Kept in Redis for the life of the request; if Redis is away, a retry is
 * a new request. Each stage fails after a bounded time if Redis cannot be reached. Thread-safe.
 */
public final class RetryIndex {
  /**
   * KEYS entry; ARGV request id, holder, ttl ms, whether it may be a retry. Returns the id of the
   * request that was begun before, or an empty text.
   */
  private static final String BEGIN =
      """
      local known = ARGV[4] == 'true' and redis.call('GET', KEYS[1])
      if known then
        local id = string.match(known, '^%S+')
        redis.call('SET', KEYS[1], id .. ' ' .. ARGV[2], 'PX', ARGV[3])
        return id
      end
      redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
      return ''
      """;

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** Creates the index of one pool. */
  public RetryIndex(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  /**
   * Notes that an HTTP request is about to begin a pool request, and that it holds it now.
   *
   * @param fingerprint the same for an HTTP request and its retries
   * @param requestId the pool request that it begins
   * @param holder identifies the HTTP request
   * @param life how long a retry may come
   * @param mayBeRetry whether an earlier HTTP request of this fingerprint counts
   * @return the pool request that an earlier one began; empty if this one is to begin its own
   */
  public CompletionStage<Optional<String>> begin(
      String fingerprint, String requestId, String holder, Duration life, boolean mayBeRetry) {
    return RedisCalls.<String>run(
            redis,
            BEGIN,
            RScript.ReturnType.VALUE,
            List.of(keys.retry(fingerprint)),
            requestId,
            holder,
            Long.toString(life.toMillis()),
            Boolean.toString(mayBeRetry))
        .thenApply(id -> id == null || id.isEmpty() ? Optional.empty() : Optional.of(id));
  }

  /** Returns whether no other HTTP request of this fingerprint has come since. */
  public CompletionStage<Boolean> isHeldBy(String fingerprint, String holder) {
    return RedisCalls.call(
            () -> redis.<String>getBucket(keys.retry(fingerprint), StringCodec.INSTANCE).getAsync())
        .thenApply(entry -> entry == null || entry.endsWith(" " + holder));
  }
}
