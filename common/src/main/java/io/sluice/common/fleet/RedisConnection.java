package io.sluice.common.fleet;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Opens Redis so that a Redis that is away costs a bounded time, at a start as later. */
public final class RedisConnection {
  private static final int CALL_TIMEOUT_MILLIS = 500;
  private static final int RETRIES = 1;
  private static final int PING_INTERVAL_MILLIS = 1_000;
  private static final int NETTY_THREADS = 4;

  private RedisConnection() {}

  /**
   * A client that connects at its first call and reconnects by itself.
   *
   * @param uri {@code redis://[user:password@]host:port[/database]}, or {@code rediss://} for TLS
   */
  public static RedissonClient open(String uri) {
    Config config = new Config();
    config.setLazyInitialization(true);
    config.setCodec(StringCodec.INSTANCE);
    config.setNettyThreads(NETTY_THREADS);
    config.setThreads(NETTY_THREADS);
    config
        .useSingleServer()
        .setAddress(uri)
        .setConnectTimeout(CALL_TIMEOUT_MILLIS)
        .setTimeout(CALL_TIMEOUT_MILLIS)
        .setRetryAttempts(RETRIES)
        .setPingConnectionInterval(PING_INTERVAL_MILLIS)
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(8)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(2);
    return Redisson.create(config);
  }
}
