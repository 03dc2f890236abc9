package io.sluice.fleet.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Short texts by id that a pool keeps in Redis for a while, and that can be found out again if they
 * are lost. Each stage fails after a bounded time if Redis cannot be reached. Thread-safe.
 */
public final class RedisNotes {
  private final RedissonClient redis;
  private final RedisKeys keys;
  private final String name;
  private final Duration life;

  /**
   * Creates a view of the notes of one kind.
   *
   * @param name the kind's name in the pool
   * @param life how long a note is kept
   */
  public RedisNotes(RedissonClient redis, String pool, String name, Duration life) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
    this.name = name;
    this.life = life;
  }

  /** Reads a note. */
  public CompletionStage<Optional<String>> find(String id) {
    return RedisCalls.call(() -> bucket(id).getAsync()).thenApply(Optional::ofNullable);
  }

  /** Writes a note in place of an earlier one. */
  public CompletionStage<Void> put(String id, String text) {
    return RedisCalls.call(() -> bucket(id).setAsync(text, life));
  }

  private RBucket<String> bucket(String id) {
    return redis.getBucket(keys.note(name, id), StringCodec.INSTANCE);
  }
}
