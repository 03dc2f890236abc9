package io.sluice.fleet;

import io.sluice.fleet.redis.LuaClock;
import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * Permits in Redis: for each group, a sorted set of the holders by the ends of their permits.
 * Thread-safe.
 */
public final class RedisRestartPermits implements RestartPermits {
  /** KEYS permits; ARGV worker, most, life ms. Returns 1 if the worker holds a permit now. */
  private static final String HOLD =
      LuaClock.NOW
          + """
          local now = now()
          redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
          if not redis.call('ZSCORE', KEYS[1], ARGV[1])
              and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
            return 0
          end
          redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
          redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], redis.call('PTTL', KEYS[1])))
          return 1
          """;

  private static final String RELEASE = "return redis.call('ZREM', KEYS[1], ARGV[1])";

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** The permits of one pool. */
  public RedisRestartPermits(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  @Override
  public CompletionStage<Boolean> hold(String group, String workerId, int most, Duration life) {
    return RedisCalls.<Long>run(
            redis,
            HOLD,
            RScript.ReturnType.LONG,
            List.of(keys.permits(group)),
            workerId,
            Integer.toString(most),
            Long.toString(life.toMillis()))
        .thenApply(held -> held == 1);
  }

  @Override
  public CompletionStage<Void> release(String group, String workerId) {
    return RedisCalls.<Long>run(
            redis, RELEASE, RScript.ReturnType.LONG, List.of(keys.permits(group)), workerId)
        .thenAccept(removed -> {});
  }
}
