package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.EnginePace;
import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.Incarnation;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.ScriptedEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
  private final ManualTime time = new ManualTime();
  private final ScriptedEngine engine = new ScriptedEngine(time);
  private final MemoryRegistry registry = new MemoryRegistry();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final List<WorkerOrder> orders = new ArrayList<>();
  private final Incarnation incarnation = new Incarnation();
  private final WorkerConfig config =
      WorkerConfig.of(Map.of("id", "w", "tier", "fast", "lanes", "2k,8k", "draft-suits", "code"));
  private final EngineMonitor monitor = new EngineMonitor(engine, config.engine(), time);
  private final Heartbeat heartbeat =
      new Heartbeat(
          config,
          registry,
          monitor,
          () -> new EnginePace(9_000, 12.5, 700),
          new RunningGenerations(),
          new Admission(
              () -> 64, draining::get, () -> monitor.state().up(), () -> BreakerPhase.CLOSED),
          incarnation,
          orders::add,
          "1.2.3");

  @Test
  void everyBeatTellsTheFleetAndGrowsTheSequence() throws Exception {
    engineUp();

    heartbeat.beat();
    heartbeat.beat();

    assertThat(registry.published).extracting(WorkerSnapshot::sequence).containsExactly(1L, 2L);
    WorkerSnapshot snapshot = registry.published.getLast();
    assertThat(snapshot.id()).isEqualTo("w");
    assertThat(snapshot.incarnation()).isEqualTo(incarnation.current());
    assertThat(snapshot.models()).containsExactly("m");
    assertThat(snapshot.tier()).contains("fast");
    assertThat(snapshot.lanes()).containsExactly("2k", "8k");
    assertThat(snapshot.slots()).isEqualTo(64);
    assertThat(snapshot.accepting()).isTrue();
    assertThat(snapshot.version()).isEqualTo("1.2.3");
    assertThat(snapshot.pace()).isEqualTo(new EnginePace(9_000, 12.5, 700));
    assertThat(snapshot.traits().draftSuits()).containsExactly("code");
    assertThat(snapshot.traits().refuses()).containsExactly("best_of", "beam_search");
    assertThat(snapshot.traits().loadedAdapters()).containsExactly("sql", "chat");
    assertThat(heartbeat.isAnnounced()).isTrue();
  }

  @Test
  void theCardsOfItsModelsAreToldWithoutWhatIsTheDefault() throws Exception {
    // Given
    engineUp(
        """
        {"data":[
          {"id":"m","owned_by":"vllm","root":"m","parent":null,"max_model_len":8192,"created":9},
          {"id":"short","root":"/models/short","max_model_len":4096,"created":9}]}
        """);

    // When
    heartbeat.beat();

    // Then
    WorkerSnapshot snapshot = registry.published.getLast();
    assertThat(snapshot.toJson())
        .contains(
            "\"models\":[\"m\",\"short\"]",
            "\"m\":{\"owned_by\":\"vllm\",\"created\":9}",
            "\"short\":{\"root\":\"/models/short\",\"max_model_len\":4096,\"created\":9}");
  }

  @Test
  void ofManyModelsOnlyTheFirstHaveACard() throws Exception {
    // Given
    engineUp(
        IntStream.range(0, WorkerSnapshot.MOST_CARDS + 1)
            .mapToObj("{\"id\":\"m%d\"}"::formatted)
            .collect(Collectors.joining(",", "{\"data\":[", "]}")));

    // When
    heartbeat.beat();

    // Then
    WorkerSnapshot snapshot = registry.published.getLast();
    assertThat(snapshot.models()).hasSize(WorkerSnapshot.MOST_CARDS + 1);
    assertThat(snapshot.cards())
        .hasSize(WorkerSnapshot.MOST_CARDS)
        .doesNotContainKey(snapshot.models().getLast());
  }

  @Test
  void aWorkerWhoseEngineIsDownIsKnownButNotReady() {
    heartbeat.beat();

    assertThat(registry.published.getLast().engineUp()).isFalse();
    assertThat(heartbeat.isAnnounced()).isFalse();
  }

  @Test
  void aDrainingWorkerSaysSo() throws Exception {
    engineUp();
    draining.set(true);

    heartbeat.beat();

    assertThat(registry.published.getLast().accepting()).isFalse();
  }

  @Test
  void aRegistryThatIsAwayChangesNothing() throws Exception {
    engineUp();
    registry.answer = CompletableFuture.failedFuture(new IllegalStateException("away"));
    heartbeat.beat();
    heartbeat.beat();
    assertThat(heartbeat.isAnnounced()).isFalse();

    registry.answer = CompletableFuture.completedFuture(MemoryRegistry.STORED);
    heartbeat.beat();

    assertThat(heartbeat.isAnnounced()).isTrue();
    assertThat(registry.published.getLast().sequence()).isEqualTo(3);
  }

  @Test
  void theOperatorsOrderArrivesWithABeat() {
    registry.answer =
        CompletableFuture.completedFuture(
            new FleetRegistry.Published(false, Optional.of(WorkerOrder.DRAIN)));

    heartbeat.beat();

    assertThat(orders).containsExactly(WorkerOrder.DRAIN);
  }

  @Test
  void aBeatIsLeftOutWhileTheOneBeforeIsOnItsWay() {
    registry.answer = new CompletableFuture<>();

    heartbeat.beat();
    heartbeat.beat();
    heartbeat.beat();

    assertThat(registry.published).hasSize(1);
  }

  private void engineUp() throws InterruptedException {
    engineUp("{\"data\":[{\"id\":\"m\"}]}");
  }

  private void engineUp(String models) throws InterruptedException {
    engine
        .answers("/health", 200, "")
        .answers(
            "/metrics",
            200,
            """
            vllm:lora_requests_info{max_lora="4",running_lora_adapters="old",waiting_lora_adapters=""} 1.7e+09
            vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql,chat",waiting_lora_adapters=""} 1.8e+09
            """)
        .answers("/v1/models", 200, models);
    monitor.probe();
  }

  private static final class MemoryRegistry implements FleetRegistry {
    private static final Published STORED = new Published(true, Optional.empty());
    private final List<WorkerSnapshot> published = new ArrayList<>();
    private CompletionStage<Published> answer = CompletableFuture.completedFuture(STORED);

    @Override
    public CompletionStage<Published> publish(WorkerSnapshot snapshot) {
      published.add(snapshot);
      return answer;
    }

    @Override
    public CompletionStage<Void> order(String workerId, WorkerOrder order) {
      throw new UnsupportedOperationException("a heartbeat orders nothing");
    }

    @Override
    public CompletionStage<Void> remove(String workerId, String incarnation) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<BreakerState> applyToBreaker(
        String workerId, List<BreakerEvent.Timed> events) {
      throw new UnsupportedOperationException("a heartbeat has no breaker");
    }

    @Override
    public CompletionStage<FleetReading> readAll() {
      return CompletableFuture.completedFuture(new FleetReading(published, Map.of()));
    }

    @Override
    public AutoCloseable subscribe(FleetListener listener) {
      return () -> {};
    }
  }
}
