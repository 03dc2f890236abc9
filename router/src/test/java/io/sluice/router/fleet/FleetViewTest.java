package io.sluice.router.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class FleetViewTest {
  private final AtomicLong nanos = new AtomicLong(5_000_000_000L);
  private final FakeRegistry registry = new FakeRegistry();
  private final FleetView view = new FleetView(registry, nanos::get, FleetWatcher.NONE);

  @AfterEach
  void close() {
    view.close();
  }

  @Test
  void nothingIsKnownAndNothingIsFreshBeforeTheFirstReading() {
    registry.answer = new CompletableFuture<>();
    try (FleetView unread = new FleetView(registry, nanos::get, FleetWatcher.NONE)) {
      assertThat(unread.current().workers()).isEmpty();
      assertThat(unread.current().fresh()).isFalse();
    }
  }

  @Test
  void aPushedChangeIsSeenAtOnce() {
    // When
    registry.listener.changed(new TestWorker("w1").snapshot());

    // Then
    assertThat(view.current().worker("w1")).isPresent();
  }

  @Test
  void aWorkerThatSignsOffIsGoneAtOnce() {
    // Given
    registry.listener.changed(new TestWorker("w1").snapshot());

    // When
    registry.listener.removed("w1");

    // Then
    assertThat(view.current().worker("w1")).isEmpty();
  }

  @Test
  void theRegistryIsReadAgainAndAgain() {
    // When
    registry.holds(new TestWorker("w1").snapshot());

    // Then
    await().until(() -> view.current().worker("w1").isPresent());
    assertThat(view.current().fresh()).isTrue();
  }

  @Test
  void aPushedChangeOfABreakerIsSeenAtOnce() {
    // Given
    registry.listener.changed(new TestWorker("w1").snapshot());
    BreakerState open = Breaker.next(BreakerState.NEW, new BreakerEvent.Tripped(), 1);

    // When
    registry.listener.breakerChanged("w1", open);

    // Then
    assertThat(view.current().worker("w1").orElseThrow().breaker()).isEqualTo(open);
  }

  @Test
  void aSnapshotSaysHowOldItIs() {
    // Given
    awaitReadings(2);
    registry.fails();
    awaitReadings(2);

    // When
    advanceMillis(700);

    // Then
    assertThat(view.current().age()).isEqualTo(Duration.ofMillis(700));
  }

  @Test
  void whatWorkersDidLongAgoDoesNotCountWhileTheRegistryStaysAway() {
    // Given
    registry.holds(new TestWorker("w1").kvUsage(0.87).running(30).held("other", 30).snapshot());
    await().until(() -> view.current().worker("w1").isPresent());
    registry.listener.breakerChanged(
        "w1", Breaker.next(BreakerState.NEW, new BreakerEvent.Usage(0.95), 1));

    // When
    registry.fails();
    advanceMillis(4_100);
    awaitReadings(2);

    // Then
    WorkerView outdated = view.current().worker("w1").orElseThrow();
    assertThat(outdated.snapshot().kvUsage()).isEmpty();
    assertThat(outdated.snapshot().heldInAll()).isZero();
    assertThat(outdated.breaker().phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void whileTheRegistryIsAwayTheLastViewStaysButIsNotFresh() {
    // Given
    registry.holds(new TestWorker("w1").snapshot());
    await().until(() -> view.current().worker("w1").isPresent());

    // When
    registry.fails();
    awaitReadings(2);
    advanceMillis(1_100);

    // Then
    assertThat(view.current().fresh()).isFalse();
    assertThat(view.current().worker("w1")).isPresent();
  }

  @Test
  void aRegistryThatComesBackDoesNotMakeEverybodyDead() {
    // Given
    WorkerSnapshot snapshot = new TestWorker("w1").snapshot();
    registry.holds(snapshot);
    await().until(() -> view.current().worker("w1").isPresent());
    registry.fails();
    awaitReadings(2);
    advanceMillis(60_000);

    // When
    registry.holds(snapshot);

    // Then
    await().until(() -> view.current().fresh());
    assertThat(view.current().worker("w1").orElseThrow().heardAtNanos()).isEqualTo(nanos.get());
  }

  @Test
  void anUnexpectedErrorDoesNotEndTheReReading() {
    // Given
    registry.throwsAtOnce.set(true);
    awaitReadings(2);

    // When
    registry.throwsAtOnce.set(false);
    registry.holds(new TestWorker("w1").snapshot());

    // Then
    await().until(() -> view.current().worker("w1").isPresent());
  }

  @Test
  void aRestoredSubscriptionIsFollowedByAReading() {
    // Given
    view.close();
    registry.holds(new TestWorker("w1").snapshot());

    // When
    registry.listener.resubscribed();

    // Then
    assertThat(view.current().worker("w1")).isPresent();
  }

  @Test
  void aClosedViewHasLeftItsSubscription() {
    // When
    view.close();

    // Then
    assertThat(registry.unsubscribed).isTrue();
  }

  private void advanceMillis(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void awaitReadings(int more) {
    int before = registry.readings.get();
    await().until(() -> registry.readings.get() >= before + more);
  }

  private static final class FakeRegistry implements FleetRegistry {
    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicBoolean throwsAtOnce = new AtomicBoolean();
    private volatile CompletionStage<FleetReading> answer =
        CompletableFuture.completedStage(FleetReading.EMPTY);
    private volatile FleetListener listener;
    private volatile boolean unsubscribed;

    void holds(WorkerSnapshot... snapshots) {
      answer = CompletableFuture.completedStage(new FleetReading(List.of(snapshots), Map.of()));
    }

    void fails() {
      answer = CompletableFuture.failedStage(new IllegalStateException("connection refused"));
    }

    @Override
    public CompletionStage<FleetReading> readAll() {
      readings.incrementAndGet();
      if (throwsAtOnce.get()) {
        throw new IllegalStateException("nobody expects this");
      }
      return answer;
    }

    @Override
    public AutoCloseable subscribe(FleetListener newListener) {
      listener = newListener;
      return () -> unsubscribed = true;
    }

    @Override
    public CompletionStage<Published> publish(WorkerSnapshot snapshot) {
      throw new UnsupportedOperationException("a view only reads");
    }

    @Override
    public CompletionStage<BreakerState> applyToBreaker(
        String workerId, List<BreakerEvent.Timed> events) {
      throw new UnsupportedOperationException("a view only reads");
    }

    @Override
    public CompletionStage<Void> order(String workerId, WorkerOrder order) {
      throw new UnsupportedOperationException("a view only reads");
    }

    @Override
    public CompletionStage<Void> remove(String workerId, String incarnation) {
      throw new UnsupportedOperationException("a view only reads");
    }
  }
}
