package io.sluice.router.queue;

import java.util.HashMap;
import java.util.Map;

/**
 * How many tokens of each tenant wait, among requests for the same workers at the same priority.
 * Thread-safe.
 */
final class TenantTokens {
  private record Waiting(int requests, long tokens) {}

  private final Map<String, Waiting> tenants = new HashMap<>();
  private long tokens;
  private int requests;

  /** A request of a tenant starts to wait. */
  synchronized void enter(String tenant, long requestTokens) {
    tokens += requestTokens;
    requests++;
    tenants.merge(
        tenant,
        new Waiting(1, requestTokens),
        (known, more) -> new Waiting(known.requests() + 1, known.tokens() + more.tokens()));
  }

  /** A request of a tenant no longer waits. */
  synchronized void leave(String tenant, long requestTokens) {
    tokens -= requestTokens;
    requests--;
    tenants.computeIfPresent(
        tenant,
        (any, known) ->
            known.requests() == 1
                ? null
                : new Waiting(known.requests() - 1, known.tokens() - requestTokens));
  }

  /** Returns whether nothing waits. */
  synchronized boolean isEmpty() {
    return tenants.isEmpty();
  }

  /** Returns the number of waiting requests. */
  synchronized int requests() {
    return requests;
  }

  /** Returns the tokens of all waiting requests. */
  synchronized long tokens() {
    return tokens;
  }

  /**
   * Returns an upper bound of the waiting tokens that are served before one more request of a
   * tenant: all of them, or from each tenant as many as from this one.
   */
  synchronized long tokensBefore(String tenant, long requestTokens) {
    Waiting account = tenants.get(tenant);
    long own = account == null ? 0 : account.tokens();
    int others = tenants.size() - (account == null ? 0 : 1);
    return Math.min(tokens, own + others * (own + requestTokens));
  }
}
