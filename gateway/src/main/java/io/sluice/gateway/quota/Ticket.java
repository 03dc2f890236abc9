package io.sluice.gateway.quota;

import io.sluice.gateway.pool.Spent;

/** The reservation of one request. Thread-safe. */
public interface Ticket {
  /** The ticket of a request without limits. */
  Ticket FREE = spent -> {};

  /** Gives back what the request did not use, and its place. Only the first call counts. */
  void settle(Spent spent);
}
