package io.sluice.router.queue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Who of a model's tenants is next, by tokens: start-time fair queueing (Goyal, Vin and Cheng,
 * SIGCOMM 1996) with equal weights. Each tenant has a tag that grows by the tokens of what it is
 * served; the lowest tag is next. Virtual time is the highest tag that was served, and a tenant
 * that begins to wait starts there: it neither saves up for the time it did not ask, nor pays for
 * the capacity it used while nobody else wanted it. Between two tenants that wait all the time, the
 * difference in tokens served is at most their two longest requests.
 *
 * <p>Every step is O(log tenants). Thread-safe: the tasks of a router share one per model and
 * priority.
 */
public final class FairShare {
  /** Of tenants with nothing waiting, so many are remembered, those that waited last. */
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

  /** A request of a tenant begins to wait. */
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

  /** A request of a tenant waits no more, for whatever reason. */
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

  /** A tenant's request, which still counts as waiting, is served. */
  public synchronized void charge(String tenant, long requestTokens) {
    Account account = waiting.get(tenant);
    if (account != null) {
      order.remove(account);
      virtualTime = Math.max(virtualTime, account.tag);
      account.tag += requestTokens;
      order.add(account);
    }
  }

  /**
   * What the first tenant offers, in the order of their turns, that offers anything.
   *
   * @param offers asked under this share's lock, of one waiting tenant after the other
   */
  public synchronized <T> Optional<T> first(Function<String, Optional<T>> offers) {
    return order.stream()
        .map(account -> offers.apply(account.tenant))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** A waiting tenant's place in the order; never goes back while it waits. */
  synchronized long tag(String tenant) {
    Account account = waiting.get(tenant);
    return account == null ? virtualTime : account.tag;
  }

  /** How far a waiting tenant is ahead of the one that is next, in tokens. */
  synchronized long lead(String tenant) {
    return order.isEmpty() ? 0 : tag(tenant) - order.first().tag;
  }

  /** Whether nothing waits. */
  public synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }
}
