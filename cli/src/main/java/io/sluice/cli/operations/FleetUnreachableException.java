package io.sluice.cli.operations;

import io.sluice.fleet.RedisConnection;

/** Redis does not respond. The message is one sentence that tells what to do. */
final class FleetUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FleetUnreachableException(String address, Throwable cause) {
    super(
        "cannot reach Redis at "
            + RedisConnection.shown(address)
            + ": start the local stack with ./sluice up, or set another address with --redis",
        cause);
  }
}
