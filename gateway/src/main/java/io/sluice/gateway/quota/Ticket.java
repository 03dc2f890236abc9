package io.sluice.gateway.quota;

import java.util.OptionalLong;

/** The reservation of one request. Thread-safe. */
public interface Ticket {
  /** The ticket of a request without limits. */
  Ticket FREE = used -> {};

  /**
   * Gives back what the request did not use, and its place. Only the first call counts.
   *
   * @param usedTokens of prompt and answer; empty if not known, which counts as all that was
   *     reserved
   */
  void settle(OptionalLong usedTokens);
}
