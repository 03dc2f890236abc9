package io.sluice.router.queue;

import java.util.HashMap;
import java.util.Map;

/**
 * How many tokens wait of each tenant, among requests that the same workers serve at the same
 * priority. Thread-safe.
 */
final class TenantTokens {
  private record Waiting(int requests, long tokens) {}

  private final Map<String, Waiting> tenants = new HashMap<>();
  private long tokens;
  private int requests;

  /** A request of a tenant begins to wait. */
  synchronized void enter(String tenant, long requestTokens) {
    tokens += requestTokens;
    requests++;
    tenants.merge(
        tenant,
        new Waiting(1, requestTokens),
        (known, more) -> new Waiting(known.requests() + 1, known.tokens() + more.tokens()));
  }

  /** A request of a tenant that waited does so no more. */
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

  /** Whether nothing waits. */
  synchronized boolean isEmpty() {
    return tenants.isEmpty();
  }

  /** How many requests wait. */
  synchronized int requests() {
    return requests;
  }

  /** The tokens of all that waits. */
  synchronized long tokens() {
    return tokens;
  }

  /**
   * At most so many of these tokens are served before one more request of a tenant: all of them, or
   * of each tenant as many as of this one.
   */
  synchronized long tokensBefore(String tenant, long requestTokens) {
    Waiting account = tenants.get(tenant);
    long own = account == null ? 0 : account.tokens();
    int tenantsBeside = tenants.size() - (account == null ? 0 : 1);
    return Math.min(tokens, own + tenantsBeside * (own + requestTokens));
  }
}
