package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ModelCard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerSnapshotTest {
  private static final WorkerSnapshot FULL =
      WorkerSnapshotBuilder.builder()
          .id("gpu-3")
          .incarnation("boot-1")
          .sequence(42)
          .models(List.of("llama", "chat", "llama-sql"))
          .cards(
              Map.of(
                  "llama", card(Optional.of("/models/llama"), Optional.empty()),
                  "chat", ModelCard.EMPTY,
                  "llama-sql", card(Optional.empty(), Optional.of("llama"))))
          .lanes(List.of("2k", "8k"))
          .maxModelLen(8192)
          .tokenBudget(200_000)
          .tokensInUse(1234)
          .kvUsage(OptionalDouble.of(0.25))
          .running(3)
          .waiting(1)
          .slots(64)
          .held(Map.of("router-0", 2, "router-1", 5))
          .draining(false)
          .engineUp(true)
          .pace(new EnginePace(9_500, 21.5, 700))
          .traits(new EngineTraits(List.of("code"), List.of("best_of"), List.of("llama-sql")))
          .version("0.1.0")
          .tier(Optional.of("fast"))
          .build();

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(WorkerSnapshot.parse(FULL.toJson())).isEqualTo(FULL);
  }

  @Test
  void whatHasNeitherTierNorMetricsIsReadBack() {
    // Given
    WorkerSnapshot bare = withKvUsage(OptionalDouble.empty());

    // When, then
    assertThat(WorkerSnapshot.parse(bare.toJson())).isEqualTo(bare);
    assertThat(bare.toJson()).doesNotContain("kv_usage");
  }

  @Test
  void itsJsonHoldsItsFieldsAndNothingDerived() throws Exception {
    // When
    JsonNode json = Json.mapper().readTree(FULL.toJson());

    // Then
    List<String> names = new ArrayList<>();
    json.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactly(
            "id",
            "incarnation",
            "sequence",
            "models",
            "cards",
            "tier",
            "lanes",
            "max_model_len",
            "token_budget",
            "tokens_in_use",
            "kv_usage",
            "running",
            "waiting",
            "slots",
            "held",
            "draining",
            "engine_up",
            "pace",
            "traits",
            "version");
  }

  @Test
  void aCardHoldsOnlyWhatTheEngineLists() throws Exception {
    // When
    JsonNode cards = Json.mapper().readTree(FULL.toJson()).path("cards");

    // Then
    assertThat(cards)
        .isEqualTo(
            Json.mapper()
                .readTree(
                    """
                    {
                      "llama": {
                        "root": "/models/llama",
                        "owned_by": "vllm",
                        "max_model_len": 4096,
                        "created": 1790000000
                      },
                      "chat": {},
                      "llama-sql": {
                        "parent": "llama",
                        "owned_by": "vllm",
                        "max_model_len": 4096,
                        "created": 1790000000
                      }
                    }
                    """));
  }

  @Test
  void anAdapterIsAModelWhoseCardNamesAParent() {
    assertThat(FULL.parentOf("llama")).isEmpty();
    assertThat(FULL.parentOf("chat")).isEmpty();
    assertThat(FULL.parentOf("llama-sql")).contains("llama");
  }

  @Test
  void theModelsOfAnOlderWorkerAreAdaptersOfItsFirst() {
    // When
    WorkerSnapshot read =
        WorkerSnapshot.parse("{\"id\":\"w\",\"incarnation\":\"i\",\"models\":[\"llama\",\"sql\"]}");

    // Then
    assertThat(read.cards()).isEmpty();
    assertThat(read.parentOf("llama")).isEmpty();
    assertThat(read.parentOf("sql")).contains("llama");
    assertThat(read.toJson()).doesNotContain("cards");
  }

  @Test
  void whatAPeerOfAnotherVersionDoesNotSendIsEmpty() {
    // When
    WorkerSnapshot read = WorkerSnapshot.parse("{\"id\":\"w\",\"incarnation\":\"i\"}");

    // Then
    assertThat(read)
        .isEqualTo(
            WorkerSnapshotBuilder.builder()
                .id("w")
                .incarnation("i")
                .sequence(0)
                .models(List.of())
                .cards(Map.of())
                .lanes(List.of())
                .maxModelLen(0)
                .tokenBudget(0)
                .tokensInUse(0)
                .kvUsage(OptionalDouble.empty())
                .running(0)
                .waiting(0)
                .slots(0)
                .held(Map.of())
                .draining(false)
                .engineUp(false)
                .pace(EnginePace.UNKNOWN)
                .traits(EngineTraits.NONE)
                .version("")
                .build());
    assertThat(read.heldInAll()).isZero();
    assertThat(read.accepting()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "models",
        "cards",
        "tier",
        "lanes",
        "kv_usage",
        "held",
        "pace",
        "traits",
        "version"
      })
  void anExplicitNullIsLikeAnAbsentField(String field) throws Exception {
    // Given
    ObjectNode json = (ObjectNode) Json.mapper().readTree(FULL.toJson());

    // When
    WorkerSnapshot absent = WorkerSnapshot.parse(json.without(field).toString());
    WorkerSnapshot isNull = WorkerSnapshot.parse(json.putNull(field).toString());

    // Then
    assertThat(isNull).isEqualTo(absent);
  }

  @Test
  void whatANewerPeerAddsIsIgnored() throws Exception {
    // Given
    ObjectNode json = (ObjectNode) Json.mapper().readTree(FULL.toJson());
    json.put("mood", "fine").putArray("gpus").add(1);

    // When, then
    assertThat(WorkerSnapshot.parse(json.toString())).isEqualTo(FULL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "17",
        "\"w\"",
        "{",
        "{}",
        "{\"id\":\"w\"}",
        "{\"incarnation\":\"i\"}",
        "{\"id\":null,\"incarnation\":\"i\"}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"models\":[null]}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"models\":\"llama\"}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"cards\":{\"m\":null}}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"cards\":[]}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"held\":{\"r\":null}}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"held\":[]}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"sequence\":\"soon\"}",
        "{\"id\":\"w\",\"incarnation\":\"i\",\"slots\":99999999999}"
      })
  void garbageIsRefusedWithASentence(String json) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerSnapshot.parse(json))
        .withMessageStartingWith("not a worker snapshot: ");
  }

  @Property
  void arbitraryTextIsRefused(@ForAll String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> WorkerSnapshot.parse(text));
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void aUsageThatIsNotANumberIsUnknown(double usage) {
    assertThat(withKvUsage(OptionalDouble.of(usage)).kvUsage()).isEmpty();
  }

  @Test
  void itKeepsCopiesOfWhatItIsGiven() {
    // Given
    List<String> models = new ArrayList<>(List.of("llama"));
    WorkerSnapshot snapshot = WorkerSnapshotBuilder.builder(FULL).models(models).build();

    // When
    models.add("other");

    // Then
    assertThat(snapshot.models()).containsExactly("llama");
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, true",
    "true, true, false",
    "false, false, false",
    "false, true, false"
  })
  void itTakesNewWorkWhileItsEngineAnswersAndItDoesNotDrain(
      boolean engineUp, boolean draining, boolean accepting) {
    // Given
    WorkerSnapshot snapshot =
        WorkerSnapshotBuilder.builder(FULL).engineUp(engineUp).draining(draining).build();

    // When, then
    assertThat(snapshot.accepting()).isEqualTo(accepting);
  }

  @Test
  void whatItHoldsIsTheSumOverAllRouters() {
    assertThat(FULL.heldInAll()).isEqualTo(7);
  }

  private static WorkerSnapshot withKvUsage(OptionalDouble kvUsage) {
    return WorkerSnapshotBuilder.builder(FULL).kvUsage(kvUsage).build();
  }

  private static ModelCard card(Optional<String> root, Optional<String> parent) {
    return new ModelCard(
        root, parent, Optional.of("vllm"), OptionalInt.of(4_096), OptionalLong.of(1_790_000_000));
  }
}
