package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerSnapshotTest {
  private static final WorkerSnapshot FULL =
      new WorkerSnapshot(
          "gpu-3",
          "boot-1",
          42,
          List.of("llama", "llama-sql"),
          Optional.of("fast"),
          List.of("2k", "8k"),
          8192,
          200_000,
          1234,
          OptionalDouble.of(0.25),
          3,
          1,
          64,
          Map.of("router-0", 2, "router-1", 5),
          false,
          true,
          new EnginePace(9_500, 21.5, 700),
          new EngineTraits(List.of("code"), List.of("best_of"), List.of("llama-sql")),
          "0.1.0");

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
  void whatAPeerOfAnotherVersionDoesNotSendIsEmpty() {
    // When
    WorkerSnapshot read = WorkerSnapshot.parse("{\"id\":\"w\",\"incarnation\":\"i\"}");

    // Then
    assertThat(read)
        .isEqualTo(
            new WorkerSnapshot(
                "w",
                "i",
                0,
                List.of(),
                Optional.empty(),
                List.of(),
                0,
                0,
                0,
                OptionalDouble.empty(),
                0,
                0,
                0,
                Map.of(),
                false,
                false,
                EnginePace.UNKNOWN,
                EngineTraits.NONE,
                ""));
    assertThat(read.heldInAll()).isZero();
    assertThat(read.accepting()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"models", "tier", "lanes", "kv_usage", "held", "pace", "traits", "version"})
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
  void aUsageThatIsNoNumberIsUnknown(double usage) {
    assertThat(withKvUsage(OptionalDouble.of(usage)).kvUsage()).isEmpty();
  }

  @Test
  void itKeepsCopiesOfWhatItIsGiven() {
    // Given
    List<String> models = new ArrayList<>(List.of("llama"));
    WorkerSnapshot snapshot =
        new WorkerSnapshot(
            "w",
            "i",
            0,
            models,
            Optional.empty(),
            List.of(),
            0,
            0,
            0,
            OptionalDouble.empty(),
            0,
            0,
            0,
            Map.of(),
            false,
            true,
            EnginePace.UNKNOWN,
            EngineTraits.NONE,
            "v");

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
        new WorkerSnapshot(
            "w",
            "i",
            0,
            List.of(),
            Optional.empty(),
            List.of(),
            0,
            0,
            0,
            OptionalDouble.empty(),
            0,
            0,
            0,
            Map.of(),
            draining,
            engineUp,
            EnginePace.UNKNOWN,
            EngineTraits.NONE,
            "v");

    // When, then
    assertThat(snapshot.accepting()).isEqualTo(accepting);
  }

  @Test
  void whatItHoldsIsTheSumOverAllRouters() {
    assertThat(FULL.heldInAll()).isEqualTo(7);
  }

  private static WorkerSnapshot withKvUsage(OptionalDouble kvUsage) {
    return new WorkerSnapshot(
        "w",
        "i",
        0,
        List.of("m"),
        Optional.empty(),
        List.of(),
        1,
        0,
        0,
        kvUsage,
        0,
        0,
        1,
        Map.of(),
        false,
        true,
        EnginePace.UNKNOWN,
        EngineTraits.NONE,
        "v");
  }
}
