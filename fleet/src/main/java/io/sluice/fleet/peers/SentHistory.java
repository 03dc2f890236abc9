package io.sluice.fleet.peers;

import io.sluice.common.protocol.Json;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What routers have told each other of prompts that a worker will have cached, the last {@value
 * #MOST} entries of each worker, for a router that starts when no other one runs. No correctness
 * depends on it. Calls never block, and fail after a bounded time if Redis is not reachable.
 * Thread-safe.
 */
public final class SentHistory {
  /** More than a GPU's memory holds of prompts that are worth a lookup. */
  public static final int MOST = 256;

  private static final Duration KEPT = Duration.ofHours(1);

  private static final String ADD =
      """
      for i, key in ipairs(KEYS) do
        redis.call('rpush', key, ARGV[i + 2])
        redis.call('ltrim', key, ARGV[1], -1)
        redis.call('pexpire', key, ARGV[2])
      end
      """;

  private static final Logger log = LoggerFactory.getLogger(SentHistory.class);

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** Creates the history of one pool. */
  public SentHistory(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  /** Keeps what a message says of prompts. */
  public CompletionStage<Void> add(PeerMessage message) {
    List<Object> names = new ArrayList<>();
    List<Object> arguments = new ArrayList<>(List.of(-MOST, KEPT.toMillis()));
    for (AtWorker worker : message.workers()) {
      if (!worker.blocks().isEmpty()) {
        names.add(keys.sentTo(worker.worker()));
        arguments.add(Json.text(worker));
      }
    }
    return names.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : RedisCalls.run(redis, ADD, RScript.ReturnType.VALUE, names, arguments.toArray());
  }

  /** A worker's engine is down: when it comes back, its cache is empty. */
  public CompletionStage<Boolean> forget(String worker) {
    return RedisCalls.call(() -> redis.getBucket(keys.sentTo(worker)).deleteAsync());
  }

  /** Reads what was recorded for a worker, in any of its incarnations, the oldest first. */
  public CompletionStage<List<AtWorker>> read(String worker) {
    return RedisCalls.call(
            () -> redis.<String>getList(keys.sentTo(worker), StringCodec.INSTANCE).readAllAsync())
        .thenApply(SentHistory::parsed);
  }

  private static List<AtWorker> parsed(List<String> entries) {
    List<AtWorker> parsed = new ArrayList<>(entries.size());
    for (String entry : entries) {
      try {
        AtWorker one = Json.parse(entry, AtWorker.class, "entry of what was sent");
        var _ = one.hashes();
        parsed.add(one);
      } catch (IllegalArgumentException e) {
        log.debug("event=sent_entry_ignored reason=\"{}\"", e.getMessage());
      }
    }
    return parsed;
  }
}
