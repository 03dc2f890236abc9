package io.sluice.fleet.redis;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * A small table of texts by id that a pool keeps in Redis permanently, such as its API keys. Each
 * stage fails after a bounded time if Redis cannot be reached. Thread-safe.
 */
public final class RedisTable {
  private final RedissonClient redis;
  private final String key;

  /**
   * Creates a view of a table.
   *
   * @param name the table's name in the pool
   */
  public RedisTable(RedissonClient redis, String pool, String name) {
    this.redis = redis;
    this.key = new RedisKeys(pool).table(name);
  }

  /** Returns the table's key in Redis. */
  public String key() {
    return key;
  }

  /** Reads all texts by their ids. */
  public CompletionStage<Map<String, String>> readAll() {
    return RedisCalls.call(() -> map().readAllMapAsync());
  }

  /** Stores a text in place of an earlier one. */
  public CompletionStage<Void> put(String id, String text) {
    return RedisCalls.call(() -> map().fastPutAsync(id, text)).thenAccept(isNew -> {});
  }

  /** Removes a text; returns whether there was one. */
  public CompletionStage<Boolean> remove(String id) {
    return RedisCalls.call(() -> map().fastRemoveAsync(id)).thenApply(count -> count > 0);
  }

  private RMap<String, String> map() {
    return redis.getMap(key, StringCodec.INSTANCE);
  }
}
