package io.sluice.cli.doctor;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.api.redisnode.RedisSingle;
import org.redisson.client.RedisException;

/** Reads what Redis says of itself. Thread-safe. */
record RedisReader(RedissonClient redis) {

  /**
   * Reads everything; each call takes about a second at most.
   *
   * @throws RedisException if Redis does not answer
   */
  RedisFacts read() {
    RedisSingle node = redis.getRedisNodes(RedisNodes.SINGLE);
    Map<String, String> info = info(node.getInstance());
    long start = System.nanoTime();
    long before = System.currentTimeMillis();
    var time = node.getInstance().time();
    long middle = (before + System.currentTimeMillis()) / 2;
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    long redisMillis = time.getSeconds() * 1_000L + time.getMicroseconds() / 1_000;
    return new RedisFacts(
        info, Duration.ofMillis(redisMillis - middle), keepsData(node.getInstance(), info), took);
  }

  /** The user of a pool may not be permitted to ask. */
  private static Map<String, String> info(RedisNode node) {
    try {
      return node.info(RedisNode.InfoSection.ALL);
    } catch (RedisException e) {
      if (String.valueOf(e.getMessage()).startsWith("NOPERM")) {
        return Map.of();
      }
      throw e;
    }
  }

  /** Not every service in a cloud lets its settings be read. */
  private static Optional<Boolean> keepsData(RedisNode node, Map<String, String> info) {
    if ("1".equals(info.get("aof_enabled"))) {
      return Optional.of(true);
    }
    try {
      return Optional.ofNullable(node.getConfig("save").get("save")).map(save -> !save.isEmpty());
    } catch (RedisException e) {
      return Optional.empty();
    }
  }
}
