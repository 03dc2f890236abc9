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
      RoutingDecisionBuilder.builder()
          .requestId("r-1")
          .atEpochMillis(1_800_000_000_000L)
          .attempt(2)
          .router("router-0")
          .model("llama")
          .lane("8k")
          .tiers(List.of("fast", "balanced"))
          .priority(Priority.URGENT)
          .promptTokens(3_000)
          .estimatedTokens(1_500)
          .outputTokens(500)
          .waitedMillis(12)
          .prefixWaitMillis(0)
          .chosen("gpu-1")
          .fallback(true)
          .candidates(
              List.of(
                  new Candidate("gpu-1", Optional.empty(), 0.75, Map.of("load", 1.0, "fit", 0.5)),
                  new Candidate("gpu-2", Optional.of("breaker"), 0, Map.of())))
          .ruledOut(Map.of("breaker", 1))
          .build();

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
  void anInvalidDecisionIsEmpty(String json) {
    assertThat(RoutingDecision.parse(json.getBytes(UTF_8))).isEmpty();
  }
}
