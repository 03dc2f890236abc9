package io.sluice.fleet.redis;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisTimeoutException;
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

  /** The last question at the start begins before this time is over. */
  private static final Duration REFUSED_WITHIN = Duration.ofSeconds(8);

  private static final int PING_INTERVAL_MILLIS = 1_000;
  private static final int NETTY_THREADS = 4;

  /** Redisson takes the database as a separate setting and ignores it in an address. */
  private static final Pattern REDIS_URI =
      Pattern.compile(
          "(?<scheme>rediss?://)((?<login>[^/]*)@)?(?<host>[^/@]+)(/(?<database>[0-9]{1,4})?)?");

  private RedisConnection() {}

  /** Returns the address in a form that may be displayed and logged: without user and password. */
  public static String shown(String uri) {
    int host = uri.lastIndexOf('@') + 1;
    int user = uri.indexOf("://") + 3;
    return host == 0 ? uri : (user < 3 ? "" : uri.substring(0, user)) + uri.substring(host);
  }

  /** Returns who logs in, and where the password is from; for messages. */
  static String login(RedisSettings settings) {
    Matcher parts = REDIS_URI.matcher(settings.uri());
    String given = parts.matches() ? Objects.requireNonNullElse(parts.group("login"), "") : "";
    int colon = given.indexOf(':');
    String user = colon < 0 ? given : given.substring(0, colon);
    String who = user.isEmpty() ? "the default user" : "the user '" + user + "'";
    if (settings.password().text().isPresent()) {
      return who + " with the password of the file";
    }
    return who + (colon < 0 ? " without a password" : " with the password of the URL");
  }

  /** Returns a client for a Redis whose URL says everything. */
  public static RedissonClient open(String uri) {
    return open(RedisSettings.of(uri));
  }

  /**
   * Fails a service at its start if Redis is there and refuses it, or is not the one that is
   * trusted. A Redis that does not answer is not a failure: the service waits for it. Blocks for 13
   * s at most, and only if Redis is silent.
   *
   * @param pool the pool's name
   * @throws IllegalStateException if Redis refuses; the message is one line, with the settings to
   *     change
   */
  public static void requireNoRefusal(RedisSettings settings, String pool) {
    RedissonClient redis = open(settings);
    try {
      RedisProbe probe = new RedisProbe(redis, pool);
      long start = System.nanoTime();
      boolean isSilent = isSilent(probe, settings);
      // A first connection from a busy machine may take longer than a call may.
      while (isSilent && System.nanoTime() - start < REFUSED_WITHIN.toNanos()) {
        isSilent = isSilent(probe, settings);
      }
    } finally {
      redis.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Asks once, for 5 s at most; returns false if Redis answers or cannot be reached. */
  private static boolean isSilent(RedisProbe probe, RedisSettings settings) {
    try {
      probe.ask().toCompletableFuture().join();
      return false;
    } catch (CompletionException e) {
      Optional<String> refusal = RedisRefusal.of(e, settings);
      if (refusal.isPresent()) {
        throw new IllegalStateException(refusal.get(), e);
      }
      return e.getCause() instanceof RedisTimeoutException;
    }
  }

  /**
   * Returns a client that connects on its first call and reconnects by itself.
   *
   * @throws IllegalArgumentException if the URL does not have the form that {@link RedisSettings}
   *     says, or if both it and a file have a password
   */
  public static RedissonClient open(RedisSettings settings) {
    Matcher parts = REDIS_URI.matcher(settings.uri());
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
    logIn(config, parts.group("login"), settings.password().text());
    if (!settings.trusted().all().isEmpty()) {
      config.setSslTrustManagerFactory(settings.trusted().trustManagers());
    }
    config
        .useSingleServer()
        .setAddress(parts.group("scheme") + parts.group("host"))
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

  /** Names and passwords in a URL are percent-encoded, those in a file are not. */
  private static void logIn(Config config, @Nullable String login, Optional<String> fromFile) {
    String given = login == null ? "" : login;
    int colon = given.indexOf(':');
    String user = decoded(colon < 0 ? given : given.substring(0, colon));
    String inUrl = colon < 0 ? "" : decoded(given.substring(colon + 1));
    if (fromFile.isPresent() && !inUrl.isEmpty()) {
      throw new IllegalArgumentException(
          "Redis has two passwords: remove the one in --redis (SLUICE_REDIS), or"
              + " --redis-password-file (SLUICE_REDIS_PASSWORD_FILE)");
    }
    String password = fromFile.orElse(inUrl);
    if (!user.isEmpty()) {
      config.setUsername(user);
    }
    if (!password.isEmpty()) {
      config.setPassword(password);
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      return text;
    }
  }
}
