package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.standalone.backend.BackendStartException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class StartedTest {
  private final Started started = new Started();
  private final Queue<String> closed = new ConcurrentLinkedQueue<>();

  @Test
  void partsAreStoppedInReverseOrderAndOnce() {
    started.start(() -> part("kafka"));
    started.start(() -> part("router"));

    started.close();
    started.close();

    assertThat(closed).containsExactly("router", "kafka");
  }

  @Test
  void aPartThatIsStartingIsWaitedForAndStopped() {
    // Given
    var isStarting = new CountDownLatch(1);
    var mayStart = new CountDownLatch(1);
    started.start(() -> part("data"));
    CompletableFuture<AutoCloseable> start =
        CompletableFuture.supplyAsync(
            () ->
                started.start(
                    () -> {
                      isStarting.countDown();
                      awaitQuietly(mayStart);
                      return part("kafka");
                    }));
    awaitQuietly(isStarting);

    // When
    Thread stop = Thread.ofPlatform().start(started::close);
    await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
    assertThat(closed).isEmpty();
    mayStart.countDown();

    // Then
    assertThatThrownBy(start::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(BackendStartException.class);
    await().untilAsserted(() -> assertThat(closed).containsExactly("kafka", "data"));
  }

  @Test
  void nothingStartsAfterAStop() {
    started.close();

    assertThatThrownBy(() -> started.start(() -> part("kafka")))
        .isInstanceOf(BackendStartException.class);
    assertThat(closed).isEmpty();
  }

  @Test
  void aStartThatFailsKeepsNoStopWaiting() {
    assertThatThrownBy(
            () ->
                started.start(
                    () -> {
                      throw new BackendStartException("no");
                    }))
        .hasMessage("no");

    started.close();
  }

  private AutoCloseable part(String name) {
    return () -> closed.add(name);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
