package io.sluice.fleet.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Redis calls that never block their caller, and that fail after a bounded time if Redis is not
 * reachable. Thread-safe.
 */
public final class RedisCalls {
  /** Longer than the client's own limit for a call including its retries. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private RedisCalls() {}

  /**
   * Makes a call on a thread of its own, because the client blocks until it has connected for the
   * first time.
   */
  public static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread)
        .thenCompose(stage -> stage)
        .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(RedisFailures.plain(failure)));
  }

  /** Runs a Lua script that may write. */
  public static <T> CompletionStage<T> run(
      RedissonClient redis,
      String script,
      RScript.ReturnType returns,
      List<Object> keys,
      Object... arguments) {
    return call(
        () ->
            redis
                .getScript(StringCodec.INSTANCE)
                .<T>evalAsync(RScript.Mode.READ_WRITE, script, returns, keys, arguments));
  }
}
