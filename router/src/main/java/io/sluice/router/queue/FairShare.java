package io.sluice.router.queue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The order of a model's tenants, by tokens: start-time fair queueing (Goyal, Vin and Cheng,
 * SIGCOMM 1996) with equal weights. Each tenant has a tag that grows by the tokens that it is
 * served, and the lowest tag is next. Virtual time is the highest tag that was served. A tenant
 * that starts to wait starts there, so it neither saves up for time without requests nor pays for
 * capacity that no other tenant wanted.
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

  /** A tenant from when it starts to wait until it starts again. */
  private static final class Account {
    private final String tenant;
    private long tag;
    private long credit;
    private int requests;

    /** By how much more than virtual time it started with, for what it was charged before. */
    private long aheadAtStart;

    private @Nullable Account next;

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
  private final LinkedHashMap<String, Account> others = new LinkedHashMap<>();
  private long virtualTime;
  private double answerRatio = 1;

  /** A request of a tenant starts to wait. */
  public synchronized void enter(String tenant) {
    Account account = waiting.get(tenant);
    if (account == null) {
      account = started(tenant, others.remove(tenant));
      waiting.put(tenant, account);
      order.add(account);
    }
    account.requests++;
  }

  private Account started(String tenant, @Nullable Account before) {
    if (before == null) {
      return new Account(tenant, virtualTime);
    }
    var account = new Account(tenant, Math.max(virtualTime, before.tag));
    account.aheadAtStart = account.tag - virtualTime;
    before.next = account;
    return account;
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
      account.tag -= account.credit;
      others.put(tenant, account);
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
    Account account = waiting.get(tenant);
    if (account != null) {
      charge(account, tokens);
    }
    return tokens;
  }

  /** A tenant's request moves on to where it is served, while it still counts as waiting. */
  public synchronized Charge charge(String tenant, long tokens) {
    Account account = Objects.requireNonNull(waiting.get(tenant));
    charge(account, tokens);
    return new Charge(account, tokens);
  }

  private void charge(Account account, long tokens) {
    virtualTime = Math.max(virtualTime, account.tag - account.credit);
    advance(account, tokens);
  }

  /** An answer took this many tokens, instead of those that were asked for or assumed. */
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
      Account left = others.get(tenant);
      if (left != null) {
        left.tag += tokens;
      }
    } else if (tokens < 0) {
      account.credit -= tokens;
    } else {
      advance(account, tokens);
    }
  }

  /** What a tenant was charged for a request that may turn out not to be served. */
  public final class Charge {
    private final Account account;
    private final long tokens;

    private Charge(Account account, long tokens) {
      this.account = account;
      this.tokens = tokens;
    }

    /**
     * The request was not served: its tenant stands as if it had not been charged. Call this at
     * most once.
     */
    public void giveBack() {
      FairShare.this.giveBack(account, tokens);
    }
  }

  /** A start at virtual time would have been there without the charge too. */
  private synchronized void giveBack(Account charged, long tokens) {
    Account account = charged;
    long left = tokens;
    while (account.next != null) {
      account = account.next;
      left = Math.min(left, account.aheadAtStart);
      account.aheadAtStart -= left;
    }
    boolean isWaiting = waiting.get(account.tenant) == account;
    if (isWaiting) {
      order.remove(account);
    }
    account.tag -= left;
    if (isWaiting) {
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
   * Returns the first offer of the tenants, in the order of their turns.
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
   * Returns a waiting tenant's position in the order. It goes back only by what was charged and not
   * served.
   */
  synchronized long tag(String tenant) {
    Account account = waiting.get(tenant);
    return account == null ? virtualTime : account.tag;
  }

  /** Returns how many tokens a waiting tenant is ahead of the one that is next. */
  synchronized long lead(String tenant) {
    return order.isEmpty() ? 0 : tag(tenant) - order.first().tag;
  }

  /** Returns whether nothing waits. */
  public synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }
}
