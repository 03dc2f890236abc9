package io.sluice.router.queue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The order of a model's tenants, by tokens: start-time fair queueing (Goyal, Vin and Cheng,
 * SIGCOMM 1996) with equal weights. Each tenant has a tag that grows by the tokens that it is
 * served, and the lowest tag is next. Virtual time is the highest tag that was served. A tenant
 * that starts to wait starts there, so it neither saves up for time without requests nor pays for
 * capacity that nobody else wanted.
 *
 * <p>A prompt is charged when it is dispatched, and an answer when it is over and its length is
 * known, as by the virtual token counter (Sheng et al., OSDI 2024). Between two tenants that always
 * have waiting requests, the difference in tokens served is at most their two longest requests and
 * the answers in progress.
 *
 * <p>Every step is O(log tenants). Thread-safe: the tasks of a router share one per model and
 * priority.
 */
public final class FairShare {
  /** How many tenants without waiting requests are remembered, the most recent ones. */
  private static final int REMEMBERED = 10_000;

  private static final class Account {
    private final String tenant;
    private long tag;
    private int requests;

    Account(String tenant, long tag) {
      this.tenant = tenant;
      this.tag = tag;
    }
  }

  private final Map<String, Account> waiting = new HashMap<>();
  private final TreeSet<Account> order =
      new TreeSet<>(
          Comparator.<Account>comparingLong(account -> account.tag)
              .thenComparing(account -> account.tenant));
  private final LinkedHashMap<String, Long> others = new LinkedHashMap<>();
  private long virtualTime;

  /** A request of a tenant starts to wait. */
  public synchronized void enter(String tenant) {
    Account account = waiting.get(tenant);
    if (account == null) {
      Long tag = others.remove(tenant);
      account = new Account(tenant, Math.max(virtualTime, tag == null ? 0 : tag));
      waiting.put(tenant, account);
      order.add(account);
    }
    account.requests++;
  }

  /** A request of a tenant no longer waits, for whatever reason. */
  public synchronized void leave(String tenant) {
    Account account = waiting.get(tenant);
    if (account == null) {
      return;
    }
    account.requests--;
    if (account.requests == 0) {
      waiting.remove(tenant);
      order.remove(account);
      others.put(tenant, account.tag);
      if (others.size() > REMEMBERED) {
        others.pollFirstEntry();
      }
    }
  }

  /** A tenant's request is dispatched while it still counts as waiting. */
  public synchronized void dispatched(String tenant, long tokens) {
    Account account = waiting.get(tenant);
    if (account != null) {
      virtualTime = Math.max(virtualTime, account.tag);
      advance(account, tokens);
    }
  }

  /** A tenant's dispatched request is over and took this many more tokens. */
  public synchronized void charge(String tenant, long tokens) {
    Account account = waiting.get(tenant);
    if (account == null) {
      others.computeIfPresent(tenant, (any, tag) -> tag + tokens);
    } else {
      advance(account, tokens);
    }
  }

  private void advance(Account account, long tokens) {
    order.remove(account);
    account.tag += tokens;
    order.add(account);
  }

  /**
   * The first offer of the tenants, in the order of their turns.
   *
   * @param offers called under the lock of this share, for one waiting tenant after the other
   */
  public synchronized <T> Optional<T> first(Function<String, Optional<T>> offers) {
    return order.stream()
        .map(account -> offers.apply(account.tenant))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** A waiting tenant's position in the order. It never goes back while the tenant waits. */
  synchronized long tag(String tenant) {
    Account account = waiting.get(tenant);
    return account == null ? virtualTime : account.tag;
  }

  /** How many tokens a waiting tenant is ahead of the one that is next. */
  synchronized long lead(String tenant) {
    return order.isEmpty() ? 0 : tag(tenant) - order.first().tag;
  }

  /** Whether nothing waits. */
  public synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }
}
