package io.sluice.fleet.redis;

import java.util.Optional;
import javax.net.ssl.SSLException;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisWrongPasswordException;

/** Recognises that Redis is there but cannot be used until a setting is changed. */
public final class RedisRefusal {
  private static final int DEEPEST = 16;
  private static final String NO_PERMISSION = "NOPERM";

  private RedisRefusal() {}

  /**
   * Returns what was tried, what came back, and which setting to change, in one line; empty if the
   * failure may pass by itself.
   */
  public static Optional<String> of(Throwable failure, RedisSettings settings) {
    Throwable cause = failure;
    for (int depth = 0; depth < DEEPEST && cause != null; depth++) {
      String message = firstLine(cause);
      if (cause instanceof SSLException) {
        return Optional.of(untrusted(message, settings));
      }
      if (cause instanceof RedisWrongPasswordException
          || cause instanceof RedisAuthRequiredException
          || message.startsWith(NO_PERMISSION)) {
        return Optional.of(refused(message, settings));
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }

  private static String refused(String message, RedisSettings settings) {
    return "Redis at %s refused %s: %s; correct %s"
        .formatted(
            settings.shown(),
            RedisConnection.login(settings),
            message,
            settings.password().text().isPresent()
                ? "--redis-password-file (SLUICE_REDIS_PASSWORD_FILE) or the user in --redis"
                    + " (SLUICE_REDIS)"
                : "the user and password in --redis (SLUICE_REDIS), or set --redis-password-file"
                    + " (SLUICE_REDIS_PASSWORD_FILE)");
  }

  private static String untrusted(String message, RedisSettings settings) {
    return "no TLS connection to Redis at %s: %s; if it has TLS, name its certificate authority with --redis-ca (SLUICE_REDIS_CA), otherwise write redis:// in --redis (SLUICE_REDIS)"
        .formatted(settings.shown(), message);
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    return message == null
        ? failure.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }
}
