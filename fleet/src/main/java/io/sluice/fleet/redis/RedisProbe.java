package io.sluice.fleet.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * Asks Redis what every service must be allowed: to run a script on a key of the pool. Thread-safe.
 */
public final class RedisProbe {
  private static final String ASK = "return redis.call('EXISTS', KEYS[1])";

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** A probe of one pool. */
  public RedisProbe(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  /** Asks. Returns at once; fails after a bounded time if Redis does not answer. */
  public CompletionStage<?> ask() {
    return RedisCalls.<Long>run(redis, ASK, RScript.ReturnType.LONG, List.of(keys.workers()));
  }
}
