package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routers' {@link RouterReport}s in Redis: one key with a time to live per router, and a set of
 * their ids. Thread-safe.
 */
public final class RouterReports {
  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(5);

  /** KEYS router, routers; ARGV report, ttl ms, id. */
  private static final String PUBLISH =
      """
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return redis.call('SADD', KEYS[2], ARGV[3])
      """;

  /** KEYS routers; ARGV prefix of the routers' keys. */
  private static final String READ_ALL =
      """
      local found = {}
      for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
        local report = redis.call('GET', ARGV[1] .. id)
        if report then
          found[#found + 1] = report
        else
          redis.call('SREM', KEYS[1], id)
        end
      end
      return found
      """;

  private static final Logger log = LoggerFactory.getLogger(RouterReports.class);

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** Creates the reports of one pool. */
  public RouterReports(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  /** Stores a router's report. The stage fails, after a bounded time, if Redis is not reachable. */
  public CompletionStage<Void> publish(RouterReport report) {
    return RedisCalls.<Long>run(
            redis,
            PUBLISH,
            RScript.ReturnType.LONG,
            List.of(keys.router(report.id()), keys.routers()),
            report.toJson(),
            Long.toString(TIME_TO_LIVE.toMillis()),
            report.id())
        .thenAccept(stored -> {});
  }

  /** Reads the reports of all routers that have reported recently. Fails like {@link #publish}. */
  public CompletionStage<List<RouterReport>> readAll() {
    return RedisCalls.<List<Object>>run(
            redis, READ_ALL, RScript.ReturnType.LIST, List.of(keys.routers()), keys.router(""))
        .thenApply(found -> found.stream().flatMap(json -> parse(json).stream()).toList());
  }

  private static Optional<RouterReport> parse(Object json) {
    try {
      return Optional.of(Json.parse(json.toString(), RouterReport.class, "router's report"));
    } catch (IllegalArgumentException e) {
      log.warn("event=router_report_ignored reason=\"{}\"", e.getMessage());
      return Optional.empty();
    }
  }
}
