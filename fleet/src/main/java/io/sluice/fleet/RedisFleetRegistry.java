package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerRules;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.redis.BadKeys;
import io.sluice.fleet.redis.FleetSubscription;
import io.sluice.fleet.redis.LuaClock;
import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import io.sluice.fleet.redis.TolerantLua;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * The registry in Redis: for each worker, one key for its snapshot and one for its breaker, both
 * with a time to live; a set of the workers' ids; and a channel of events. Each write is one Lua
 * script. Thread-safe.
 */
public final class RedisFleetRegistry implements FleetRegistry {
  /**
   * How long a worker's key outlives its last heartbeat. Routers notice a dead worker much earlier,
   * by the sequence.
   */
  private static final Duration SNAPSHOT_TTL = Duration.ofSeconds(10);

  /**
   * How long a breaker outlives its last report, so that an operator's override survives a worker's
   * restart.
   */
  private static final Duration BREAKER_TTL = Duration.ofHours(1);

  /** Longer than the client repeats a call that Redis has not answered. */
  private static final Duration CALL_TTL = Duration.ofSeconds(30);

  /** How long an order is kept: longer than an absent worker is expected back. */
  private static final Duration ORDER_TTL = Duration.ofDays(30);

  private static final String CHANGED = "changed ";
  private static final String REMOVED = "removed ";
  private static final String BREAKER = "breaker ";

  /**
   * KEYS worker, workers, order; ARGV snapshot, ttl ms, id, channel, incarnation, sequence. Returns
   * whether the snapshot was stored, the order, which may be empty, and the time. If no more than
   * the sequence has changed, that is not an event: readers find it.
   */
  private static final String PUBLISH =
      LuaClock.NOW
          + TolerantLua.READ
          + TolerantLua.INDEX
          + """
          local function state(snapshot)
            return (string.gsub(snapshot, '"sequence":%d+', '', 1))
          end
          local order = read(KEYS[3]) or ''
          local stored = read(KEYS[1]) or ''
          local readable, known = pcall(cjson.decode, stored)
          if readable and type(known) == 'table' and known.incarnation == ARGV[5]
              and (tonumber(known.sequence) or -1) >= tonumber(ARGV[6]) then
            return {'refused', order, now()}
          end
          redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
          index(KEYS[2], ARGV[3])
          if state(stored) ~= state(ARGV[1]) then
            redis.call('PUBLISH', ARGV[4], 'changed ' .. ARGV[1])
          end
          return {'stored', order, now()}
          """;

  /** KEYS worker, workers; ARGV id, channel, incarnation. */
  private static final String REMOVE =
      TolerantLua.READ
          + """
          local readable, known = pcall(cjson.decode, read(KEYS[1]) or '')
          if readable and type(known) == 'table' and known.incarnation ~= ARGV[3] then
            return 0
          end
          redis.call('DEL', KEYS[1])
          redis.pcall('SREM', KEYS[2], ARGV[1])
          redis.call('PUBLISH', ARGV[2], 'removed ' .. ARGV[1])
          return 1
          """;

  /**
   * KEYS workers; ARGV prefixes of the workers' keys and of the breakers' keys. Returns for each
   * worker its id, its snapshot and its breaker, which may be empty.
   */
  private static final String READ_ALL =
      TolerantLua.EACH
          + """
          local found = {}
          each(KEYS[1], ARGV[1], function(id, snapshot)
            found[#found + 1] = id
            found[#found + 1] = snapshot
            found[#found + 1] = read(ARGV[2] .. id) or ''
          end)
          return found
          """;

  private final RedissonClient redis;
  private final RedisKeys keys;
  private final BadKeys badKeys = new BadKeys();
  private final SnapshotParser snapshots = new SnapshotParser();

  /** Creates the registry of one pool. */
  public RedisFleetRegistry(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  @Override
  public CompletionStage<Published> publish(WorkerSnapshot snapshot) {
    return RedisCalls.<List<Object>>run(
            redis,
            PUBLISH,
            RScript.ReturnType.LIST,
            List.of(keys.worker(snapshot.id()), keys.workers(), keys.order(snapshot.id())),
            snapshot.toJson(),
            Long.toString(SNAPSHOT_TTL.toMillis()),
            snapshot.id(),
            keys.events(),
            snapshot.incarnation(),
            Long.toString(snapshot.sequence()))
        .thenApply(
            answer ->
                new Published(
                    answer.get(0).equals("stored"),
                    order(
                        snapshot.id(),
                        answer.get(1).toString(),
                        Long.parseLong(answer.get(2).toString()))));
  }

  private Optional<WorkerOrder> order(String workerId, String text, long nowMillis) {
    Optional<WorkerOrder> order = WorkerOrder.parse(text, nowMillis);
    if (order.isEmpty() && !text.isEmpty()) {
      badKeys.found(keys.order(workerId), "not an order: " + text);
    }
    return order;
  }

  @Override
  public CompletionStage<Void> order(String workerId, WorkerOrder order) {
    return RedisCalls.<Long>run(
            redis, LuaClock.NOW + "return now()", RScript.ReturnType.LONG, List.of())
        .thenCompose(
            now ->
                RedisCalls.call(
                    () ->
                        redis
                            .getBucket(keys.order(workerId), StringCodec.INSTANCE)
                            .setAsync(order.text(now), ORDER_TTL)));
  }

  @Override
  public CompletionStage<Void> remove(String workerId, String incarnation) {
    return RedisCalls.<Long>run(
            redis,
            REMOVE,
            RScript.ReturnType.LONG,
            List.of(keys.worker(workerId), keys.workers()),
            workerId,
            keys.events(),
            incarnation)
        .thenAccept(removed -> {});
  }

  @Override
  public CompletionStage<BreakerState> applyToBreaker(
      String workerId, List<BreakerEvent.Timed> events) {
    return applyToBreaker(workerId, events, UUID.randomUUID().toString());
  }

  /** Applies events unless this call has done so before. */
  CompletionStage<BreakerState> applyToBreaker(
      String workerId, List<BreakerEvent.Timed> events, String call) {
    return RedisCalls.<String>run(
            redis,
            BreakerScript.APPLY,
            RScript.ReturnType.VALUE,
            List.of(keys.breaker(workerId), keys.breakerCall(call)),
            Json.text(events),
            BreakerRules.STANDARD.toJson(),
            Long.toString(BREAKER_TTL.toMillis()),
            keys.events(),
            workerId,
            Long.toString(CALL_TTL.toMillis()))
        .thenApply(state -> state.isEmpty() ? BreakerState.NEW : BreakerState.parse(state));
  }

  @Override
  public CompletionStage<FleetReading> readAll() {
    return RedisCalls.<List<Object>>run(
            redis,
            READ_ALL,
            RScript.ReturnType.LIST,
            List.of(keys.workers()),
            keys.worker(""),
            keys.breaker(""))
        .thenApply(this::parseAll);
  }

  @Override
  public AutoCloseable subscribe(FleetListener listener) {
    RTopic topic = redis.getTopic(keys.events(), StringCodec.INSTANCE);
    return new FleetSubscription(
            topic, message -> deliver(message, listener), listener::resubscribed)
        .start();
  }

  private void deliver(String message, FleetListener listener) {
    try {
      if (message.startsWith(CHANGED)) {
        listener.changed(snapshots.parse(message.substring(CHANGED.length())));
      } else if (message.startsWith(REMOVED)) {
        listener.removed(message.substring(REMOVED.length()));
      } else if (message.startsWith(BREAKER)) {
        deliverBreaker(message.substring(BREAKER.length()), listener);
      }
    } catch (IllegalArgumentException e) {
      badKeys.found(keys.events(), String.valueOf(e.getMessage()));
    }
  }

  private static void deliverBreaker(String idAndState, FleetListener listener) {
    int space = idAndState.indexOf(' ');
    if (space > 0) {
      BreakerState state = BreakerState.parse(idAndState.substring(space + 1));
      listener.breakerChanged(idAndState.substring(0, space), state);
    }
  }

  private FleetReading parseAll(List<Object> found) {
    List<WorkerSnapshot> workers = new ArrayList<>(found.size() / 3);
    Map<String, BreakerState> breakers = new HashMap<>();
    for (int i = 0; i + 2 < found.size(); i += 3) {
      String id = found.get(i).toString();
      String breaker = found.get(i + 2).toString();
      badKeys
          .parse(keys.worker(id), found.get(i + 1).toString(), snapshots::parse)
          .ifPresent(workers::add);
      if (!breaker.isEmpty()) {
        badKeys
            .parse(keys.breaker(id), breaker, BreakerState::parse)
            .ifPresent(state -> breakers.put(id, state));
      }
    }
    return new FleetReading(workers, breakers);
  }
}
