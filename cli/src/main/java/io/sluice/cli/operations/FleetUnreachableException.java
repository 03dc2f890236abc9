package io.sluice.cli.operations;

import io.sluice.fleet.RedisConnection;

/** Redis does not answer; the message is one sentence with what to do about it. */
final class FleetUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FleetUnreachableException(String address, Throwable cause) {
    super(
        "cannot reach Redis at "
            + RedisConnection.shown(address)
            + ": start the local stack with ./sluice up, or name another with --redis",
        cause);
  }
}
