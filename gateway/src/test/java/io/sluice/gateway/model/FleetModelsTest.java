package io.sluice.gateway.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FleetModelsTest {
  private Instant now = Instant.ofEpochSecond(1_790_000_000);
  private final Registry registry = new Registry();
  private final FleetModels models =
      new FleetModels(registry, ((InstantSource) () -> now).withZone(ZoneOffset.UTC));

  @Test
  @Timeout(30)
  void whileTheRegistryHangsTheLastListIsServedAtOnce() {
    // Given
    registry.readings.add(CompletableFuture.completedFuture(FleetReading.EMPTY));
    assertThat(models.all()).isEmpty();
    for (int i = 0; i < 100; i++) {
      registry.readings.add(new CompletableFuture<>());
    }

    // When each of them finds the list old
    long began = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      now = now.plusSeconds(2);
      assertThat(models.all()).isEmpty();
    }

    // Then only the first has waited
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
  }

  /** Returns prepared readings. */
  private static final class Registry implements FleetRegistry {
    private final Queue<CompletableFuture<FleetReading>> readings = new ArrayDeque<>();

    @Override
    public CompletionStage<FleetReading> readAll() {
      return readings.remove();
    }

    @Override
    public CompletionStage<Published> publish(WorkerSnapshot snapshot) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> order(String workerId, WorkerOrder order) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> remove(String workerId, String incarnation) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<BreakerState> applyToBreaker(
        String workerId, List<BreakerEvent.Timed> events) {
      throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable subscribe(FleetListener listener) {
      throw new UnsupportedOperationException();
    }
  }
}
