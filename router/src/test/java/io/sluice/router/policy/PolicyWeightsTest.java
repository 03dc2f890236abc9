package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyWeightsTest {
  @Test
  void whatIsNotNamedKeepsItsDefault() {
    // When
    PolicyWeights weights = PolicyWeights.parse("prefix=2, ttft=3.5");

    // Then
    assertThat(weights)
        .isEqualTo(PolicyWeights.DEFAULTS.with(PolicyWeight.PREFIX, 2).with(PolicyWeight.TTFT, 3.5))
        .isNotEqualTo(PolicyWeights.DEFAULTS);
    assertThat(PolicyWeights.parse(" ")).isEqualTo(PolicyWeights.DEFAULTS);
    assertThat(PolicyWeights.parse("ttft=6")).isEqualTo(PolicyWeights.DEFAULTS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prefx=2 | unknown weight 'prefx'; known weights: ttft, context, tier, prefix, fit, load,"
            + " adapter, draft, streams, spread, patience",
        "prefix=much | the weight of prefix must be a number, not 'much'",
        "prefix=-1 | a weight must be between 0 and 1000, not -1.0",
        "prefix=NaN | a weight must be between 0 and 1000, not NaN",
        "prefix | weights are given as name=number,..., not 'prefix'"
      })
  void whatIsWrongIsSaid(String text, String message) {
    assertThatThrownBy(() -> PolicyWeights.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aScorerWithoutWeightIsNotAsked() {
    var worker = new TestWorker("w").snapshot();
    var candidate =
        new Candidate(
            worker, 0, 0, false, true, false, false, Outlook.of(worker), BreakerPhase.CLOSED);
    var policy = RoutingPolicy.of(PolicyWeights.DEFAULTS.with(PolicyWeight.DRAFT, 0));

    assertThat(policy.scores(new TestProfile().profile(), candidate))
        .containsOnlyKeys("ttft", "context", "tier", "prefix", "fit", "load", "adapter");
  }
}
