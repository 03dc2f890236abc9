package io.sluice.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CoarseWaitsTest {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @Test
  void aWaitEndsWhenItsTimeIsOver() throws Exception {
    // Given
    long nanos = CoarseWaits.RESOLUTION.multipliedBy(2).toNanos();
    long start = System.nanoTime();
    long left = nanos;

    // When
    while (left > 0) {
      left = waited(left);
    }

    // Then
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(nanos);
  }

  @Test
  void aShortWaitEndsToo() throws Exception {
    long left = Duration.ofMillis(5).toNanos();
    while (left > 0) {
      left = waited(left);
    }

    assertThat(left).isLessThanOrEqualTo(0);
  }

  @Test
  void aSignalEndsAWaitBeforeItsTime() throws Exception {
    // Given
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var left = CompletableFuture.supplyAsync(this::longWait, threads);
      while (!hasWaiter()) {
        Thread.onSpinWait();
      }

      // When
      signal();

      // Then
      assertThat(left.get(20, TimeUnit.SECONDS)).isPositive();
    }
  }

  private boolean hasWaiter() {
    lock.lock();
    try {
      return lock.hasWaiters(changed);
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long longWait() {
    try {
      return waited(Duration.ofHours(1).toNanos());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long waited(long nanos) throws InterruptedException {
    lock.lock();
    try {
      return CoarseWaits.await(lock, changed, nanos);
    } finally {
      lock.unlock();
    }
  }
}
