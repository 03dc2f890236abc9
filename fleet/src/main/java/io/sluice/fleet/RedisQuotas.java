package io.sluice.fleet;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * Token buckets in Redis, shared by all gateways of a pool: requests and tokens for each owner,
 * filled evenly over a minute by the clock of Redis, and a number of places for requests that run
 * at the same time. Each stage fails after a bounded time if Redis cannot be reached. Thread-safe.
 */
public final class RedisQuotas {
  /**
   * Fills the buckets. KEYS bucket, places; ARGV requests and tokens a minute; 0 is no limit. A
   * bucket that was never used is full.
   */
  private static final String FILL =
      """
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      local rpm, tpm = tonumber(ARGV[1]), tonumber(ARGV[2])
      local bucket = redis.call('HMGET', KEYS[1], 'requests', 'tokens', 'at')
      local passed = math.max(0, now - (tonumber(bucket[3]) or now)) / 60000
      local requests = math.min(rpm, (tonumber(bucket[1]) or rpm) + rpm * passed)
      local tokens = math.min(tpm, (tonumber(bucket[2]) or tpm) + tpm * passed)
      """;

  private static final String STORE =
      """
      redis.call('HSET', KEYS[1], 'requests', tostring(requests), 'tokens', tostring(tokens),
          'at', tostring(now))
      redis.call('PEXPIRE', KEYS[1], 3600000)
      """;

  /** Further ARGV: places, cost in tokens, lease, life of the lease in ms. */
  private static final String RESERVE =
      FILL
          + """
          local places, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
          redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
          local lacking, wait = '', 0
          if rpm > 0 and requests < 1 then
            lacking, wait = 'requests', (1 - requests) * 60000 / rpm
          elseif tpm > 0 and tokens < cost then
            lacking, wait = 'tokens', (cost - tokens) * 60000 / tpm
          elseif places > 0 and redis.call('ZCARD', KEYS[2]) >= places then
            lacking, wait = 'places', 1000
          else
            requests, tokens = requests - 1, tokens - cost
            redis.call('ZADD', KEYS[2], now + tonumber(ARGV[6]), ARGV[5])
            redis.call('PEXPIRE', KEYS[2], math.max(tonumber(ARGV[6]), redis.call('PTTL', KEYS[2])))
          end
          """
          + STORE
          + """
          return {lacking, tostring(math.ceil(wait)), tostring(math.floor(requests)),
              tostring(math.floor(tokens))}
          """;

  /** Further ARGV: tokens to give back, lease. */
  private static final String SETTLE =
      FILL
          + """
          redis.call('ZREM', KEYS[2], ARGV[4])
          tokens = math.min(tpm, tokens + tonumber(ARGV[3]))
          """
          + STORE
          + "return ''";

  private final RedissonClient redis;
  private final RedisKeys keys;

  /** Creates a view of the quotas of one pool. */
  public RedisQuotas(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  /**
   * The limits of an owner; 0 stands for no limit.
   *
   * @param owner whose buckets they are
   * @param places requests at the same time
   */
  public record Limits(String owner, long requestsPerMinute, long tokensPerMinute, int places) {}

  /**
   * The result of a reservation.
   *
   * @param lacking {@code requests}, {@code tokens} or {@code places} if it was refused; else empty
   * @param waitMillis when a refused one would be granted, if nobody else reserves
   * @param requestsLeft in the bucket
   * @param tokensLeft in the bucket; below 0 if requests used more than they had reserved
   */
  public record Reservation(String lacking, long waitMillis, long requestsLeft, long tokensLeft) {
    public boolean isGranted() {
      return lacking.isEmpty();
    }
  }

  /**
   * Takes a request, its tokens and a place, all or none.
   *
   * @param lease identifies the reservation
   * @param life after this time the place is free again, should nobody settle the reservation
   */
  public CompletionStage<Reservation> reserve(
      Limits limits, long tokens, String lease, Duration life) {
    return this.<List<Object>>run(
            RESERVE,
            RScript.ReturnType.LIST,
            limits,
            Integer.toString(limits.places()),
            Long.toString(tokens),
            lease,
            Long.toString(life.toMillis()))
        .thenApply(
            answer ->
                new Reservation(
                    answer.get(0).toString(),
                    number(answer.get(1)),
                    number(answer.get(2)),
                    number(answer.get(3))));
  }

  /**
   * Gives the place back, and tokens.
   *
   * @param tokens how many of the reserved tokens were not used; below 0 if more were used
   */
  public CompletionStage<Void> settle(Limits limits, long tokens, String lease) {
    return this.<Object>run(SETTLE, RScript.ReturnType.VALUE, limits, Long.toString(tokens), lease)
        .thenAccept(answer -> {});
  }

  private <T> CompletionStage<T> run(
      String script, RScript.ReturnType returns, Limits limits, String... arguments) {
    Object[] all = new Object[arguments.length + 2];
    all[0] = Long.toString(limits.requestsPerMinute());
    all[1] = Long.toString(limits.tokensPerMinute());
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return RedisCalls.run(
        redis,
        script,
        returns,
        List.of(keys.quota(limits.owner()), keys.places(limits.owner())),
        all);
  }

  private static long number(Object text) {
    return (long) Double.parseDouble(text.toString());
  }
}
