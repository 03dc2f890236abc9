package io.sluice.common.time;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Waits whose time limit need not be exact. A virtual thread that waits with a limit wakes the
 * thread that keeps the limits, once when it begins and once when it ends; for a stream that waits
 * for each of its tokens, these wakes cost more than the tokens. Here one thread looks at all
 * limits a few times a second. It ends when nothing waits. Thread-safe.
 */
public final class CoarseWaits {
  /** How much later than its limit a wait may end. Shorter limits are exact. */
  public static final Duration RESOLUTION = Duration.ofMillis(100);

  private static final CoarseWaits SHARED = new CoarseWaits();

  /** Looks without a wait to watch, after which the thread ends. */
  private static final int MOST_IDLE = 100;

  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
  private volatile boolean isWatched;

  /** Compared by identity: each wait is one of its own. */
  private static final class Wait {
    private final Lock lock;
    private final Condition condition;
    private final long untilNanos;

    Wait(Lock lock, Condition condition, long untilNanos) {
      this.lock = lock;
      this.condition = condition;
      this.untilNanos = untilNanos;
    }

    /** A lock that is held now is held by somebody who may signal anyway; the next look is soon. */
    void wake() {
      if (lock.tryLock()) {
        try {
          condition.signalAll();
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private CoarseWaits() {}

  /**
   * Waits for a condition like {@link Condition#awaitNanos}, up to {@link #RESOLUTION} longer, and
   * like it to be called in a loop. When the time is over, all who wait for the condition are
   * woken.
   *
   * @param lock the condition's, held by the caller
   * @return the nanoseconds that are left; 0 or less if the time is over
   */
  @SuppressWarnings("WaitNotInLoop") // the caller's
  public static long await(Lock lock, Condition condition, long nanos) throws InterruptedException {
    if (nanos <= RESOLUTION.toNanos()) {
      return condition.awaitNanos(nanos);
    }
    long until = System.nanoTime() + nanos;
    var wait = new Wait(lock, condition, until);
    SHARED.begin(wait);
    try {
      condition.await();
    } finally {
      SHARED.waits.remove(wait);
    }
    return until - System.nanoTime();
  }

  private void begin(Wait wait) {
    waits.add(wait);
    if (!isWatched) {
      watch();
    }
  }

  private synchronized void watch() {
    if (!isWatched) {
      isWatched = true;
      Thread.ofPlatform().daemon().name("sluice-waits").start(this::run);
    }
  }

  private void run() {
    int idle = 0;
    while (idle < MOST_IDLE) {
      try {
        TimeUnit.MILLISECONDS.sleep(RESOLUTION.toMillis());
      } catch (InterruptedException e) {
        // There is no reason to interrupt it, and the waits still need it.
      }
      idle = waits.isEmpty() ? idle + 1 : 0;
      long now = System.nanoTime();
      for (Wait wait : waits) {
        if (wait.untilNanos - now <= 0) {
          wait.wake();
        }
      }
    }
    isWatched = false;
    if (!waits.isEmpty()) {
      watch();
    }
  }
}
