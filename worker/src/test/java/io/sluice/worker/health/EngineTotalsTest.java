package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EngineTotalsTest {
  private static final String VLLM =
      """
      vllm:prompt_tokens_total{engine="0",model_name="m"} 5000.0
      vllm:prompt_tokens_total{engine="1",model_name="m"} 1000.0
      vllm:prompt_tokens_cached_total{engine="0",model_name="m"} 2000.0
      vllm:prefix_cache_hits_total{engine="0",model_name="m"} 2500.0
      vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 8.0
      vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 1.5
      vllm:inter_token_latency_seconds_count{engine="0",model_name="m"} 100.0
      vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"} 2.0
      vllm:num_preemptions_total{engine="0",model_name="m"} 3.0
      """;

  @Test
  void vllmsCountsAreReadAndCachedTokensAreNotComputedOnes() {
    EngineTotals totals = EngineTotals.of(MetricsText.ofEngine(VLLM));

    assertThat(totals.get(EngineCount.PREFILL_TOKENS)).hasValue(4_000);
    assertThat(totals.get(EngineCount.CACHED_TOKENS)).hasValue(2_000);
    assertThat(totals.get(EngineCount.FIRST_TOKENS)).hasValue(8);
    assertThat(totals.get(EngineCount.FIRST_TOKEN_SECONDS)).hasValue(1.5);
    assertThat(totals.interTokenMillis()).hasValue(20);
    assertThat(totals.get(EngineCount.PREEMPTIONS)).hasValue(3);
  }

  @Test
  void aStepOfSpeculativeDecodingGivesTheAcceptedTokensToo() {
    EngineTotals totals =
        EngineTotals.of(
            MetricsText.ofEngine(
                VLLM
                    + """
                vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 400.0
                vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 300.0
                """));

    assertThat(totals.get(EngineCount.DRAFT_TOKENS)).hasValue(400);
    assertThat(totals.get(EngineCount.ACCEPTED_TOKENS)).hasValue(300);
    assertThat(totals.get(EngineCount.INTER_TOKENS)).hasValue(400);
    assertThat(totals.interTokenMillis()).hasValue(5);
  }

  @Test
  void olderAndOtherNamesAreUnderstood() {
    assertThat(
            EngineTotals.of(
                    MetricsText.ofEngine(
                        "vllm:prompt_tokens_total 9\nvllm:prefix_cache_hits_total 4\n"))
                .get(EngineCount.PREFILL_TOKENS))
        .hasValue(5);
    EngineTotals llamaCpp =
        EngineTotals.of(
            MetricsText.ofEngine(
                "llamacpp:prompt_tokens_total 7\nllamacpp:prompt_tokens_cached_total 2\n"));
    assertThat(llamaCpp.get(EngineCount.PREFILL_TOKENS)).hasValue(7);
    assertThat(llamaCpp.get(EngineCount.CACHED_TOKENS)).hasValue(2);
    assertThat(
            EngineTotals.of(
                    MetricsText.ofEngine(
                        "sglang:inter_token_latency_seconds_sum 1\nsglang:inter_token_latency_seconds_count 50\n"))
                .interTokenMillis())
        .hasValue(20);
  }

  @Test
  void growthIsTheDifferenceAndAResetCounterIsMissing() {
    EngineTotals before = EngineTotals.of(MetricsText.ofEngine(VLLM));
    EngineTotals later =
        EngineTotals.of(
            MetricsText.ofEngine(VLLM.replace(" 8.0", " 10.0").replace(" 3.0", " 1.0")));

    EngineTotals added = later.since(before);

    assertThat(added.get(EngineCount.FIRST_TOKENS)).hasValue(2);
    assertThat(added.get(EngineCount.PREFILL_TOKENS)).hasValue(0);
    assertThat(added.get(EngineCount.PREEMPTIONS)).isEmpty();
  }

  @Test
  void missingCountersComeFromOtherTotals() {
    EngineTotals lacking = EngineTotals.of(MetricsText.ofEngine("vllm:num_preemptions_total 5\n"));

    EngineTotals whole = lacking.or(EngineTotals.of(MetricsText.ofEngine(VLLM)));

    assertThat(whole.get(EngineCount.PREEMPTIONS)).hasValue(5);
    assertThat(whole.get(EngineCount.PREFILL_TOKENS)).hasValue(4_000);
    assertThat(EngineTotals.UNKNOWN.interTokenMillis()).isEmpty();
  }
}
