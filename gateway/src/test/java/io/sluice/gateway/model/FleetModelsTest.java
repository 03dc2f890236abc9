package io.sluice.gateway.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
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

  @Test
  void everyBaseNameAndEveryAdapterHasItsOwnCard() throws Exception {
    // Given
    serves(
        worker(
            "w",
            "\"models\":[\"a\",\"b\",\"sql\"],\"max_model_len\":8192,\"cards\":{"
                + "\"a\":{\"root\":\"/models/x\",\"owned_by\":\"vllm\",\"created\":1700000000},"
                + "\"b\":{\"root\":\"/models/x\",\"owned_by\":\"vllm\",\"created\":1700000000},"
                + "\"sql\":{\"root\":\"/loras/sql\",\"parent\":\"a\",\"owned_by\":\"vllm\",\"created\":1700000009}}"));

    // When, then
    assertThat(models.all()).extracting(ServedModel::id).containsExactly("a", "b", "sql");
    assertThat(card("a")).isEqualTo(vllm("a", 1_700_000_000, "/models/x", null));
    assertThat(card("b")).isEqualTo(vllm("b", 1_700_000_000, "/models/x", null));
    assertThat(card("sql")).isEqualTo(vllm("sql", 1_700_000_009, "/loras/sql", "a"));
  }

  private static JsonNode vllm(String id, long created, String root, @Nullable String parent)
      throws Exception {
    return Json.mapper()
        .readTree(
            "{\"id\":\"%s\",\"object\":\"model\",\"created\":%d,\"owned_by\":\"vllm\",\"root\":\"%s\",\"parent\":%s,\"max_model_len\":8192,\"permission\":[]}"
                .formatted(id, created, root, parent == null ? "null" : "\"" + parent + "\""));
  }

  @Test
  void aWorkerOfAnOlderVersionHasABaseModelAndItsAdapters() throws Exception {
    // Given
    serves(worker("w", "\"models\":[\"llama\",\"sql\"],\"max_model_len\":4096"));
    now = now.plusSeconds(60);

    // When
    JsonNode base = card("llama");
    JsonNode adapter = card("sql");

    // Then
    assertThat(base.path("owned_by").asText()).isEqualTo("sluice");
    assertThat(base.path("root").asText()).isEqualTo("llama");
    assertThat(base.path("parent").isNull()).isTrue();
    assertThat(base.path("max_model_len").asInt()).isEqualTo(4_096);
    assertThat(base.path("created").asLong()).isEqualTo(1_790_000_000);
    assertThat(adapter.path("root").asText()).isEqualTo("llama");
    assertThat(adapter.path("parent").asText()).isEqualTo("llama");
  }

  @Test
  void anEngineThatListsOnlyNamesHasModelsWithoutAParent() throws Exception {
    // Given
    serves(
        worker(
            "w",
            "\"models\":[\"a\",\"b\"],\"cards\":{\"a\":{\"created\":7},\"b\":{\"created\":7}}"));

    // When
    JsonNode second = card("b");

    // Then
    assertThat(second.path("owned_by").asText()).isEqualTo("sluice");
    assertThat(second.path("root").asText()).isEqualTo("b");
    assertThat(second.path("parent").isNull()).isTrue();
    assertThat(second.path("max_model_len").isNull()).isTrue();
  }

  @Test
  void allGatewaysListAModelOfSeveralWorkersAlike() throws Exception {
    // Given
    WorkerSnapshot older = worker("1", "\"models\":[\"m\"],\"max_model_len\":2048");
    WorkerSnapshot second =
        worker(
            "2",
            "\"models\":[\"m\"],\"max_model_len\":8192,\"cards\":{\"m\":"
                + "{\"root\":\"/a\",\"owned_by\":\"vllm\",\"max_model_len\":4096,\"created\":1700000050}}");
    WorkerSnapshot third =
        worker(
            "3",
            "\"models\":[\"m\"],\"max_model_len\":1024,\"cards\":{\"m\":"
                + "{\"root\":\"/b\",\"owned_by\":\"sglang\",\"created\":1700000020}}");
    List<List<WorkerSnapshot>> orders =
        List.of(List.of(older, second, third), List.of(third, older, second));

    for (List<WorkerSnapshot> order : orders) {
      // When
      now = now.plusSeconds(2);
      serves(order.toArray(WorkerSnapshot[]::new));
      JsonNode card = card("m");

      // Then
      assertThat(card.path("root").asText()).isEqualTo("/a");
      assertThat(card.path("owned_by").asText()).isEqualTo("vllm");
      assertThat(card.path("max_model_len").asInt()).isEqualTo(4_096);
      assertThat(card.path("created").asLong()).isEqualTo(1_700_000_020);
    }
  }

  @Test
  void theModelsOfAnEngineThatIsDownAreNotListed() {
    // Given
    serves(WorkerSnapshot.parse("{\"id\":\"w\",\"incarnation\":\"i\",\"models\":[\"m\"]}"));

    // When, then
    assertThat(models.all()).isEmpty();
  }

  private void serves(WorkerSnapshot... workers) {
    registry.readings.add(
        CompletableFuture.completedFuture(new FleetReading(List.of(workers), Map.of())));
  }

  private JsonNode card(String id) throws IOException {
    ServedModel model = models.find(id).orElseThrow();
    return Json.tree(Json.bytes(model.toJson(models.startSeconds())));
  }

  private static WorkerSnapshot worker(String id, String fields) {
    return WorkerSnapshot.parse(
        "{\"id\":\"%s\",\"incarnation\":\"i\",\"engine_up\":true,%s}".formatted(id, fields));
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
