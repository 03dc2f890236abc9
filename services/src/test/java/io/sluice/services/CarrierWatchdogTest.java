package io.sluice.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class CarrierWatchdogTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final CountDownLatch GO_ON = new CountDownLatch(1);

  /** Its initializer waits, and so does every thread that uses it; virtual ones keep a carrier. */
  private static final class Slow {
    static final boolean WENT_ON = waited();

    private static boolean waited() {
      try {
        return GO_ON.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aThreadThatAllCarriersWaitForRuns() throws Exception {
    // Given as many threads as there are carriers, all waiting for a class
    var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    int carriers = scheduler.getParallelism();
    List<Thread> waiting = new ArrayList<>();
    List<Boolean> results = new CopyOnWriteArrayList<>();
    for (int each = 0; each < carriers; each++) {
      waiting.add(Thread.ofVirtual().start(() -> results.add(Slow.WENT_ON)));
    }
    await().atMost(PATIENCE).until(() -> scheduler.getMountedVirtualThreadCount() == carriers);
    Thread last = Thread.ofVirtual().start(GO_ON::countDown);
    assertThat(last.join(Duration.ofMillis(200))).isFalse();

    // When
    Thread watchdog = CarrierWatchdog.start();

    // Then
    try {
      assertThat(last.join(PATIENCE)).isTrue();
      for (Thread thread : waiting) {
        assertThat(thread.join(PATIENCE)).isTrue();
      }
      assertThat(results).hasSize(carriers).containsOnly(true);
      assertThat(scheduler.getParallelism()).isGreaterThan(carriers);
    } finally {
      watchdog.interrupt();
      scheduler.setParallelism(carriers);
    }
  }
}
