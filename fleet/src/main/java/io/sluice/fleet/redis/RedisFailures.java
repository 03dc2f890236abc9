package io.sluice.fleet.redis;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.redisson.client.RedisException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Failures of Redis in words for people. The client's own messages contain scripts, parameters and
 * the states of its connections.
 */
final class RedisFailures {
  /** What the client appends to an error that Redis sent. */
  private static final Pattern CLIENT_STATE = Pattern.compile("(?s)\\.? channel: .*");

  private RedisFailures() {}

  /** Returns the failure itself if its message is short. */
  static Throwable plain(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof RedisTimeoutException
        || cause instanceof WriteRedisConnectionException
        || cause instanceof TimeoutException) {
      return new RedisTimeoutException("no answer in time");
    }
    String message = String.valueOf(cause.getMessage());
    String said = CLIENT_STATE.matcher(message).replaceFirst("");
    return said.equals(message) ? cause : new RedisException(said);
  }
}
