package io.sluice.fleet;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;
import org.redisson.config.EqualJitterDelay;

/**
 * Opens a Redis client for which an unreachable Redis costs a bounded time, at start-up and later.
 */
public final class RedisConnection {
  private static final int CALL_TIMEOUT_MILLIS = 500;
  private static final int RETRIES = 1;
  private static final Duration RETRY_DELAY = Duration.ofMillis(100);

  /**
   * With the client's default, a subscription may stay interrupted for 10 s after Redis is back.
   */
  private static final Duration LONGEST_RECONNECTION_DELAY = Duration.ofSeconds(1);

  private static final int PING_INTERVAL_MILLIS = 1_000;
  private static final int NETTY_THREADS = 4;

  /** Redisson takes the database as a separate setting and ignores it in an address. */
  private static final Pattern REDIS_URI =
      Pattern.compile("(?<address>rediss?://[^/]+)(/(?<database>[0-9]{1,4})?)?");

  private RedisConnection() {}

  /** Returns the address in a form that may be displayed and logged: without user and password. */
  public static String shown(String uri) {
    int host = uri.lastIndexOf('@') + 1;
    int user = uri.indexOf("://") + 3;
    return host == 0 ? uri : (user < 3 ? "" : uri.substring(0, user)) + uri.substring(host);
  }

  /**
   * Returns a client that connects on its first call and reconnects by itself.
   *
   * @param uri {@code redis://[user:password@]host:port[/database]}, or {@code rediss://} for TLS
   * @throws IllegalArgumentException if the address does not have this form
   */
  public static RedissonClient open(String uri) {
    Matcher parts = REDIS_URI.matcher(uri);
    if (!parts.matches()) {
      // The address is not in the message because it may contain a password.
      throw new IllegalArgumentException(
          "the address of Redis must be like redis://[user:password@]host:port[/database]");
    }
    String database = parts.group("database");
    Config config = new Config();
    config.setLazyInitialization(true);
    config.setCodec(StringCodec.INSTANCE);
    config.setNettyThreads(NETTY_THREADS);
    config.setThreads(NETTY_THREADS);
    // Else every call sends its script, and every error contains it.
    config.setUseScriptCache(true);
    config
        .useSingleServer()
        .setAddress(parts.group("address"))
        .setDatabase(database == null ? 0 : Integer.parseInt(database))
        .setConnectTimeout(CALL_TIMEOUT_MILLIS)
        .setTimeout(CALL_TIMEOUT_MILLIS)
        .setRetryAttempts(RETRIES)
        .setRetryDelay(new ConstantDelay(RETRY_DELAY))
        .setReconnectionDelay(new EqualJitterDelay(RETRY_DELAY, LONGEST_RECONNECTION_DELAY))
        .setPingConnectionInterval(PING_INTERVAL_MILLIS)
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(8)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(2);
    return Redisson.create(config);
  }
}
