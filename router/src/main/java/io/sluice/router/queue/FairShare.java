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
 * <p>When a request is dispatched, its tenant is charged for the prompt and for the answer that is
 * expected, as long as the latest answers were compared with what was asked for or assumed. When it
 * is over, the difference to what it took is settled, as by the virtual token counter (Sheng et
 * al., OSDI 2024). What a waiting tenant was charged too much is a credit for its next requests,
 * because its tag must not go back. Between two tenants that always have waiting requests, the
 * difference in tokens served is at most their two longest requests, and the error of the answers
 * in progress.
 *
 * <p>Every step is O(log tenants). Thread-safe: the tasks of a router share one per model and
 * priority.
 */
public final class FairShare {
  /** How many tenants without waiting requests are remembered, the most recent ones. */
  private static final int REMEMBERED = 10_000;

  /** The latest answers from which the length of the next ones is expected. */
  private static final int ANSWERS_LEARNED_FROM = 32;

  private static final class Account {
    private final String tenant;
    private long tag;
    private long credit;
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
  private double answerRatio = 1;

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
      others.put(tenant, account.tag - account.credit);
      if (others.size() > REMEMBERED) {
        others.pollFirstEntry();
      }
    }
  }

  /**
   * A tenant's request is dispatched while it still counts as waiting. Returns the tokens that it
   * is charged.
   *
   * @param outputTokens the output that was asked for or assumed
   */
  public synchronized long charge(String tenant, long promptTokens, long outputTokens) {
    long tokens = promptTokens + Math.round(outputTokens * answerRatio);
    charge(tenant, tokens);
    return tokens;
  }

  /** A tenant's request is served, or goes on to where it is, while it still counts as waiting. */
  public synchronized void charge(String tenant, long tokens) {
    Account account = waiting.get(tenant);
    if (account != null) {
      virtualTime = Math.max(virtualTime, account.tag - account.credit);
      advance(account, tokens);
    }
  }

  /** An answer took so many tokens, instead of those that were asked for or assumed. */
  public synchronized void answerTook(long outputTokens, long tokens) {
    if (outputTokens > 0) {
      answerRatio += (tokens / (double) outputTokens - answerRatio) / ANSWERS_LEARNED_FROM;
    }
  }

  /**
   * A tenant's request is over that was charged.
   *
   * @param tokens by how many it took more; negative if it took less
   */
  public synchronized void settle(String tenant, long tokens) {
    Account account = waiting.get(tenant);
    if (account == null) {
      others.computeIfPresent(tenant, (any, tag) -> tag + tokens);
    } else if (tokens < 0) {
      account.credit -= tokens;
    } else {
      advance(account, tokens);
    }
  }

  /** A tenant's request was charged and not served. It waits again, or is about to. */
  public synchronized void unserved(String tenant, long tokens) {
    Account account = waiting.get(tenant);
    if (account == null) {
      others.computeIfPresent(tenant, (any, tag) -> tag - tokens);
    } else {
      order.remove(account);
      account.tag -= tokens;
      order.add(account);
    }
  }

  private void advance(Account account, long tokens) {
    long free = Math.min(account.credit, tokens);
    order.remove(account);
    account.credit -= free;
    account.tag += tokens - free;
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

  /**
   * A waiting tenant's position in the order. It goes back only by what was charged and not served.
   */
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
