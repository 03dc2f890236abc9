package io.sluice.producer.operations;

import java.net.URI;

/** Redis does not answer; the message is one sentence with what to do about it. */
final class FleetUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FleetUnreachableException(String address, Throwable cause) {
    super(
        "cannot reach Redis at "
            + withoutPassword(address)
            + ": start the local stack with ./sluice up, or name another with --redis",
        cause);
  }

  private static String withoutPassword(String address) {
    URI uri = URI.create(address);
    return uri.getHost() == null ? "its address" : uri.getHost() + ":" + uri.getPort();
  }
}
