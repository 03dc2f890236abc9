package io.sluice.fleet.peers;

import io.sluice.common.protocol.Json;
import io.sluice.fleet.redis.BadKeys;
import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import io.sluice.fleet.redis.TolerantLua;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * The routers' {@link RouterReport}s in Redis: one key with a time to live per router, and a set of
 * their ids. Thread-safe.
 */
public final class RouterReports {
  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(5);

  /** KEYS router, routers; ARGV report, ttl ms, id. */
  private static final String PUBLISH =
      TolerantLua.INDEX
          + """
          redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
          index(KEYS[2], ARGV[3])
          return 1
          """;

  /**
   * KEYS routers; ARGV prefix of the routers' keys. Returns ids, reports and their remaining
   * milliseconds in turn.
   */
  private static final String READ_ALL =
      TolerantLua.EACH
          + """
          local found = {}
          each(KEYS[1], ARGV[1], function(id, report)
            found[#found + 1] = id
            found[#found + 1] = report
            found[#found + 1] = tostring(redis.call('PTTL', ARGV[1] .. id))
          end)
          return found
          """;

  private final RedissonClient redis;
  private final RedisKeys keys;
  private final BadKeys badKeys = new BadKeys();

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

  /**
   * A report as it was read.
   *
   * @param age the time since it was published, by Redis's clock
   */
  public record Reading(RouterReport report, Duration age) {}

  /** Reads the reports of all routers that have reported recently. Fails like {@link #publish}. */
  public CompletionStage<List<RouterReport>> readAll() {
    return read().thenApply(readings -> readings.stream().map(Reading::report).toList());
  }

  /** Returns the same with the age of each report, which is never more than five seconds. */
  public CompletionStage<List<Reading>> read() {
    return RedisCalls.<List<Object>>run(
            redis, READ_ALL, RScript.ReturnType.LIST, List.of(keys.routers()), keys.router(""))
        .thenApply(this::parseAll);
  }

  private List<Reading> parseAll(List<Object> found) {
    List<Reading> readings = new ArrayList<>(found.size() / 3);
    for (int i = 0; i + 2 < found.size(); i += 3) {
      // A key that somebody wrote without a time to live would never get old.
      long left = Math.max(0, Long.parseLong(found.get(i + 2).toString()));
      Duration age = TIME_TO_LIVE.minusMillis(left);
      badKeys
          .parse(
              keys.router(found.get(i).toString()),
              found.get(i + 1).toString(),
              json -> Json.parse(json, RouterReport.class, "router's report"))
          .ifPresent(report -> readings.add(new Reading(report, age)));
    }
    return readings;
  }
}
