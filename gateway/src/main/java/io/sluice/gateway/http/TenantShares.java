package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Something of which a gateway has only so much, such as memory. A tenant has at most half of it,
 * so that it cannot stop the others. Thread-safe.
 */
public final class TenantShares {
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition changed = lock.newCondition();
  private final Map<String, Long> used = new HashMap<>();
  private final long mostOfTenant;
  private long free;

  /**
   * @param amount what all tenants have together; at least twice the largest share
   */
  public TenantShares(long amount) {
    this.free = amount;
    this.mostOfTenant = amount / 2;
  }

  /**
   * Waits until a tenant can have a share.
   *
   * @return empty if it could not in time
   */
  public Optional<Share> take(String tenant, long amount, Duration atMost)
      throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      Optional<Share> share = tryTake(tenant, amount);
      while (share.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
        share = tryTake(tenant, amount);
      }
      return share;
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
      if (amount > free || used.getOrDefault(tenant, 0L) + amount > mostOfTenant) {
        return Optional.empty();
      }
      add(tenant, amount);
      return Optional.of(new Share(tenant, amount));
    } finally {
      lock.unlock();
    }
  }

  private void add(String tenant, long amount) {
    free -= amount;
    used.merge(tenant, amount, Long::sum);
    used.remove(tenant, 0L);
  }

  /** The share of one request. Thread-safe. */
  public final class Share implements AutoCloseable {
    private final String tenant;
    private long amount;
    private @Nullable Disconnect disconnect;

    private Share(String tenant, long amount) {
      this.tenant = tenant;
      this.amount = amount;
    }

    /** Gives the share back at the latest when the client of a request leaves. */
    public Share until(HttpRequest<?> request) {
      Disconnect watch = Disconnect.watch(request, this::close);
      lock.lock();
      try {
        disconnect = watch;
      } finally {
        lock.unlock();
      }
      return this;
    }

    /** Gives back what is not needed. */
    public void shrinkTo(long needed) {
      lock.lock();
      try {
        if (needed < amount) {
          add(tenant, needed - amount);
          amount = needed;
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Gives all of it back. Repeated calls have no effect. */
    @Override
    public void close() {
      shrinkTo(0);
      Disconnect watch;
      lock.lock();
      try {
        watch = disconnect;
      } finally {
        lock.unlock();
      }
      if (watch != null) {
        watch.close();
      }
    }
  }
}
