package io.sluice.cli.operations;

import io.sluice.fleet.redis.RedisRefusal;
import io.sluice.fleet.redis.RedisSettings;

/** Redis does not respond, or refuses. The message is one sentence that tells what to do. */
final class FleetUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FleetUnreachableException(RedisSettings redis, Throwable cause) {
    super(
        RedisRefusal.of(cause, redis)
            .orElseGet(
                () ->
                    "cannot reach Redis at "
                        + redis.shown()
                        + ": start the local stack with ./sluice up, or set another address with"
                        + " --redis"),
        cause);
  }
}
