package io.sluice.gateway.quota;

import io.sluice.gateway.http.Disconnect;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of the request bodies that are in memory at a time. A tenant has at most half of
 * them, so that it cannot stop the others. Thread-safe.
 */
final class BodyBudget {
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition changed = lock.newCondition();
  private final Map<String, Long> used = new HashMap<>();
  private final long tenantBytes;
  private long free;

  /**
   * @param bytes of all bodies together; at least twice the largest body
   */
  BodyBudget(long bytes) {
    this.free = bytes;
    this.tenantBytes = bytes / 2;
  }

  /**
   * Waits until there is room for a body.
   *
   * @return empty if there was none in time
   */
  Optional<Reservation> reserve(String tenant, long bytes, Duration atMost)
      throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (bytes > free || used.getOrDefault(tenant, 0L) + bytes > tenantBytes) {
        if (left <= 0) {
          return Optional.empty();
        }
        left = changed.awaitNanos(left);
      }
      take(tenant, bytes);
      return Optional.of(new Reservation(tenant, bytes));
    } finally {
      lock.unlock();
    }
  }

  private void take(String tenant, long bytes) {
    free -= bytes;
    used.merge(tenant, bytes, Long::sum);
    used.remove(tenant, 0L);
  }

  /** The room of one body. */
  final class Reservation implements AutoCloseable {
    private final String tenant;
    private long bytes;
    private @Nullable Disconnect disconnect;

    private Reservation(String tenant, long bytes) {
      this.tenant = tenant;
      this.bytes = bytes;
    }

    /** Gives the room back at the latest when the client leaves. */
    void endsWith(Disconnect its) {
      lock.lock();
      try {
        disconnect = its;
      } finally {
        lock.unlock();
      }
    }

    /** Gives back what the body does not need. */
    void shrinkTo(long needed) {
      lock.lock();
      try {
        if (needed < bytes) {
          take(tenant, needed - bytes);
          bytes = needed;
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
      Disconnect watch = disconnect;
      if (watch != null) {
        watch.close();
      }
    }
  }
}
