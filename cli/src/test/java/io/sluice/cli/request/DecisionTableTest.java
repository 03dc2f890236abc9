package io.sluice.cli.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.RoutingDecision.Candidate;
import io.sluice.common.protocol.RoutingDecisionBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DecisionTableTest {
  private static final RoutingDecision DECISION = waited(0);

  private static RoutingDecision waited(long prefixWaitMillis) {
    return RoutingDecisionBuilder.builder()
        .requestId("r-1")
        .atEpochMillis(1_800_000_000_000L)
        .attempt(1)
        .router("router-0")
        .model("llama")
        .lane("8k")
        .tiers(List.of("fast", "balanced"))
        .priority(Priority.INTERACTIVE)
        .promptTokens(3_000)
        .estimatedTokens(1_500)
        .outputTokens(500)
        .waitedMillis(12)
        .prefixWaitMillis(prefixWaitMillis)
        .chosen("gpu-1")
        .fallback(false)
        .candidates(
            List.of(
                new Candidate("gpu-1", Optional.empty(), 0.75, Map.of("prefix", 1.0, "load", 0.5)),
                new Candidate("gpu-2", Optional.of("breaker"), 0, Map.of())))
        .ruledOut(Map.of("breaker", 1, "model", 3))
        .build();
  }

  @Test
  void itSaysForHowLongTheRequestWaitedByChoice() {
    assertThat(DecisionTable.of(waited(7)).lines().findFirst())
        .contains(
            "attempt 1 went to gpu-1 at 2027-01-15T08:00:00Z, after 12 ms, of which it waited 7 for"
                + " a worker that had its prompt cached");
  }

  @Test
  void itSaysWhatWasAskedAndHowEachWorkerDid() {
    assertThat(DecisionTable.of(DECISION).lines())
        .containsExactly(
            "attempt 1 went to gpu-1 at 2027-01-15T08:00:00Z, after 12 ms",
            "  model llama, lane 8k, tier fast > balanced, interactive, about 3000 (1500 estimated, times 2.00 for this model) tokens in and 500 out; decided by router router-0",
            "  worker  score   load  prefix  ruled out by",
            "> gpu-1   0.750  0.500   1.000  -",
            "  gpu-2       -      -       -  breaker",
            "  ruled out: 3 by model, 1 by breaker");
  }

  @Test
  void namesCannotBreakTheTerminal() {
    RoutingDecision hostile =
        RoutingDecisionBuilder.builder(DECISION)
            .model("\u001b[2J\nllama")
            .chosen("gpu\u009b1")
            .build();

    assertThat(DecisionTable.of(hostile))
        .contains("went to gpu 1 at", "model  [2J llama, lane")
        .doesNotContain("\u001b", "\u009b")
        .hasLineCount(6);
  }

  @Test
  void theLegendExplainsTheNamesThatOccurAndLeavesOutWhatItDoesNotKnow() {
    // Given
    Meanings meanings =
        new Meanings(
            Map.of("load", "free slots", "fit", "free memory"),
            Map.of("model", "the worker serves the model", "breaker", "the breaker is closed"));

    // Then
    assertThat(DecisionTable.legend(List.of(DECISION, DECISION), meanings).lines())
        .containsExactly(
            "",
            "scorers, from 0 (worst) to 1 (best)",
            "  load     free slots",
            "",
            "a filter rules a worker out unless",
            "  breaker  the breaker is closed",
            "  model    the worker serves the model");
  }

  @Test
  void withoutKnownNamesThereIsNoLegend() {
    assertThat(DecisionTable.legend(List.of(DECISION), new Meanings(Map.of(), Map.of()))).isEmpty();
  }
}
