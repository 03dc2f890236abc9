package io.sluice.fleet.quota;

import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * Quotas in Redis: token buckets, filled evenly over a minute by the clock of Redis, and a set of
 * the requests that run. Thread-safe.
 */
public final class RedisQuotas implements Quotas {
  private final RedissonClient redis;
  private final RedisKeys keys;

  /** Creates a view of the quotas of one pool. */
  public RedisQuotas(RedissonClient redis, String pool) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
  }

  @Override
  public CompletionStage<Reservation> reserve(
      Limits limits, long tokens, String lease, Duration life) {
    return this.<List<Object>>run(
            QuotaScripts.RESERVE,
            RScript.ReturnType.LIST,
            limits,
            lease,
            Integer.toString(limits.places()),
            Long.toString(tokens),
            lease,
            Long.toString(life.toMillis()))
        .thenApply(
            answer ->
                new Reservation(
                    lacking(answer.get(0).toString()),
                    number(answer.get(1)),
                    number(answer.get(2)),
                    number(answer.get(3))));
  }

  @Override
  public CompletionStage<Void> settle(Limits limits, long tokens, String lease) {
    return this.<Object>run(
            QuotaScripts.SETTLE,
            RScript.ReturnType.VALUE,
            limits,
            lease,
            Long.toString(tokens),
            lease)
        .thenAccept(answer -> {});
  }

  @Override
  public CompletionStage<Void> renew(Collection<Lease> leases, Duration life) {
    List<Object> all = new ArrayList<>(2 * leases.size());
    List<Object> arguments = new ArrayList<>(leases.size() + 1);
    arguments.add(Long.toString(life.toMillis()));
    for (Lease lease : leases) {
      all.add(keys.places(lease.owner()));
      all.add(keys.lease(lease.owner(), lease.lease()));
      arguments.add(lease.lease());
    }
    return RedisCalls.<Object>run(
            redis, QuotaScripts.RENEW, RScript.ReturnType.VALUE, all, arguments.toArray())
        .thenAccept(answer -> {});
  }

  private <T> CompletionStage<T> run(
      String script, RScript.ReturnType returns, Limits limits, String lease, String... arguments) {
    Object[] all = new Object[arguments.length + 2];
    all[0] = Long.toString(limits.requestsPerMinute());
    all[1] = Long.toString(limits.tokensPerMinute());
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    String owner = limits.owner();
    return RedisCalls.run(
        redis,
        script,
        returns,
        List.of(keys.quota(owner), keys.places(owner), keys.lease(owner, lease)),
        all);
  }

  private static Lacking lacking(String text) {
    return text.isEmpty() ? Lacking.NOTHING : Lacking.valueOf(text.toUpperCase(Locale.ROOT));
  }

  private static long number(Object text) {
    return (long) Double.parseDouble(text.toString());
  }
}
