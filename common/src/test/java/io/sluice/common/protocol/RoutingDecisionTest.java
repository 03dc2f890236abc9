package io.sluice.common.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.RoutingDecision.Candidate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingDecisionTest {
  private static final RoutingDecision FULL =
      new RoutingDecision(
          "r-1",
          1_800_000_000_000L,
          2,
          "router-0",
          "llama",
          "8k",
          List.of("fast", "balanced"),
          Priority.URGENT,
          3_000,
          1_500,
          500,
          12,
          "gpu-1",
          true,
          List.of(
              new Candidate("gpu-1", Optional.empty(), 0.75, Map.of("load", 1.0, "fit", 0.5)),
              new Candidate("gpu-2", Optional.of("breaker"), 0, Map.of())),
          Map.of("breaker", 1));

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(RoutingDecision.parse(FULL.toJson())).contains(FULL);
  }

  @Test
  void whatAnotherVersionDoesNotSayIsEmpty() {
    // When
    RoutingDecision read =
        RoutingDecision.parse("{\"request_id\":\"r\",\"chosen\":\"w\"}".getBytes(UTF_8))
            .orElseThrow();

    // Then
    assertThat(read.candidates()).isEmpty();
    assertThat(read.ruledOut()).isEmpty();
    assertThat(read.tiers()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "[]", "{}", "{\"request_id\":\"r\"}", "{\"chosen\":5"})
  void whatIsNoDecisionIsEmpty(String json) {
    assertThat(RoutingDecision.parse(json.getBytes(UTF_8))).isEmpty();
  }
}
