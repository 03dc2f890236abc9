package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Something of which a gateway has only so much, such as memory. A tenant has at most half of it,
 * so that it cannot stop the others. Shares are given in the order in which they were asked for;
 * only a request that waits for the half of its own tenant is passed. Thread-safe.
 */
public final class TenantShares {
  private static final int MOST_WAITING = 8_192;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> used = new HashMap<>();
  private final Map<String, SequencedSet<Waiter>> waiting = new HashMap<>();
  private final int mostWaiting;
  private final long mostOfTenant;
  private long free;
  private long asked;
  private int waitingCount;

  /**
   * @param amount what all tenants have together; at least twice the largest share, or 1
   */
  public TenantShares(long amount) {
    this(amount, MOST_WAITING);
  }

  /**
   * @param mostWaiting how many may wait; half of them may be of one tenant
   */
  TenantShares(long amount, int mostWaiting) {
    this.free = amount;
    this.mostOfTenant = (amount + 1) / 2;
    this.mostWaiting = mostWaiting;
  }

  /**
   * Waits until a tenant can have a share. One of nothing is there at once.
   *
   * @return empty if it could not in time, or if too many wait
   */
  public Optional<Share> take(String tenant, long amount, Duration atMost)
      throws InterruptedException {
    if (amount == 0) {
      return Optional.of(new Share(tenant, 0));
    }
    lock.lockInterruptibly();
    try {
      Waiter waiter = enter(tenant, amount);
      try {
        waiter.await(mayWait(tenant) ? atMost : Duration.ZERO);
        return waiter.share;
      } catch (InterruptedException e) {
        // It may have been given just before.
        waiter.share.ifPresent(Share::close);
        throw e;
      } finally {
        leave(waiter);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a tenant a share at once.
   *
   * @return empty if it cannot have it now
   */
  public Optional<Share> tryTake(String tenant, long amount) {
    lock.lock();
    try {
      Waiter waiter = enter(tenant, amount);
      leave(waiter);
      return waiter.share;
    } finally {
      lock.unlock();
    }
  }

  private Waiter enter(String tenant, long amount) {
    Waiter waiter = new Waiter(tenant, amount, asked++);
    waiting.computeIfAbsent(tenant, _ -> new LinkedHashSet<>()).add(waiter);
    waitingCount++;
    grant();
    return waiter;
  }

  private void leave(Waiter waiter) {
    if (remove(waiter)) {
      grant();
    }
  }

  private boolean remove(Waiter waiter) {
    SequencedSet<Waiter> ofTenant = waiting.get(waiter.tenant);
    if (ofTenant == null || !ofTenant.remove(waiter)) {
      return false;
    }
    waitingCount--;
    if (ofTenant.isEmpty()) {
      waiting.remove(waiter.tenant);
    }
    return true;
  }

  /** Returns whether the last of a tenant that entered may stay. */
  private boolean mayWait(String tenant) {
    SequencedSet<Waiter> ofTenant = waiting.get(tenant);
    return waitingCount <= mostWaiting && (ofTenant == null || ofTenant.size() <= mostWaiting / 2);
  }

  private void grant() {
    Optional<Waiter> next = next();
    while (next.isPresent() && next.get().amount <= free) {
      Waiter waiter = next.get();
      remove(waiter);
      add(waiter.tenant, waiter.amount);
      waiter.give();
      next = next();
    }
  }

  /** Returns the one that waits longest, of those whose tenants have less than their half. */
  private Optional<Waiter> next() {
    return waiting.values().stream()
        .map(SequencedSet::getFirst)
        .filter(waiter -> used.getOrDefault(waiter.tenant, 0L) + waiter.amount <= mostOfTenant)
        .min(Comparator.comparingLong(waiter -> waiter.number));
  }

  private void add(String tenant, long amount) {
    free -= amount;
    used.merge(tenant, amount, Long::sum);
    used.remove(tenant, 0L);
  }

  /** A request for a share. Guarded by the lock. */
  private final class Waiter {
    private final String tenant;
    private final long amount;
    private final long number;
    private final Condition given = lock.newCondition();
    private Optional<Share> share = Optional.empty();

    Waiter(String tenant, long amount, long number) {
      this.tenant = tenant;
      this.amount = amount;
      this.number = number;
    }

    void await(Duration atMost) throws InterruptedException {
      long left = atMost.toNanos();
      while (share.isEmpty() && left > 0) {
        left = given.awaitNanos(left);
      }
    }

    void give() {
      share = Optional.of(new Share(tenant, amount));
      given.signal();
    }
  }

  /** The share of one request. Thread-safe. */
  public final class Share implements AutoCloseable {
    private final String tenant;
    private long amount;
    private volatile @Nullable Disconnect disconnect;

    private Share(String tenant, long amount) {
      this.tenant = tenant;
      this.amount = amount;
    }

    /** Gives the share back at the latest when the client of a request leaves. */
    public Share until(HttpRequest<?> request) {
      disconnect = Disconnect.watch(request, this::close);
      return this;
    }

    /** Gives back what is not needed. */
    public void shrinkTo(long needed) {
      lock.lock();
      try {
        if (needed < amount) {
          add(tenant, needed - amount);
          amount = needed;
          grant();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Gives all of it back. Repeated calls have no effect. */
    @Override
    public void close() {
      shrinkTo(0);
      Disconnect watch = disconnect;
      if (watch != null) {
        watch.close();
      }
    }
  }
}
