package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class EngineLoadTest {

  @Test
  void vllmsExpositionIsRead() throws IOException {
    EngineLoad load = EngineLoad.of(MetricsText.ofEngine(resource()));

    assertThat(load.running()).isEqualTo(3);
    assertThat(load.waiting()).isEqualTo(1);
    assertThat(load.kvUsage()).hasValue(0.0421875);
    assertThat(load.kvTokens()).isEqualTo(27_648 * 16);
  }

  @Test
  void enginesBehindOneServerAreSummedAndTheirUsageIsAveraged() {
    EngineLoad load =
        EngineLoad.of(
            MetricsText.ofEngine(
                """
            vllm:num_requests_running{engine="0",model_name="m"} 3.0
            vllm:num_requests_running{engine="1",model_name="m"} 4.0
            vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.2
            vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.4
            vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="10"} 1.0
            vllm:cache_config_info{block_size="16",engine="1",num_gpu_blocks="20"} 1.0
            """));

    assertThat(load.running()).isEqualTo(7);
    assertThat(load.kvUsage().orElseThrow()).isCloseTo(0.3, within(1e-9));
    assertThat(load.kvTokens()).isEqualTo(480);
  }

  @Test
  void oldNamesAndOtherEnginesAreUnderstood() {
    assertThat(
            EngineLoad.of(MetricsText.ofEngine("vllm:gpu_cache_usage_perc{model_name=\"m\"} 0.5"))
                .kvUsage())
        .hasValue(0.5);
    EngineLoad sglang =
        EngineLoad.of(
            MetricsText.ofEngine(
                "sglang:num_running_reqs 2\nsglang:num_queue_reqs 1\nsglang:token_usage 0.25\nsglang:max_total_num_tokens 4096\n"));
    assertThat(sglang.running()).isEqualTo(2);
    assertThat(sglang.waiting()).isEqualTo(1);
    assertThat(sglang.kvTokens()).isEqualTo(4_096);
    assertThat(EngineLoad.of(MetricsText.ofEngine("llamacpp:requests_processing 1")).running())
        .isEqualTo(1);
  }

  @Test
  void missingMetricsAreUnknown() {
    assertThat(EngineLoad.of(MetricsText.ofEngine("up 1\n"))).isEqualTo(EngineLoad.UNKNOWN);
  }

  @Test
  void labelsMayHoldAnything() {
    EngineLoad load =
        EngineLoad.of(
            MetricsText.ofEngine(
                "vllm:num_requests_running{model_name=\"a\\\"b} 9 {\\\\\",engine=\"0\"} 5.0 1700000000\n"));

    assertThat(load.running()).isEqualTo(5);
  }

  @Test
  void valuesThatAreNotNumbersAreSkipped() {
    assertThat(EngineLoad.of(MetricsText.ofEngine("vllm:kv_cache_usage_perc NaN")).kvUsage())
        .isEmpty();
    assertThat(EngineLoad.of(MetricsText.ofEngine("vllm:kv_cache_usage_perc{")).kvUsage())
        .isEmpty();
    assertThat(EngineLoad.of(MetricsText.ofEngine("vllm:kv_cache_usage_perc{a=\"")).kvUsage())
        .isEmpty();
  }

  @Property
  void anyTextIsRead(@ForAll String tail) {
    assertThat(EngineLoad.of(MetricsText.ofEngine("vllm:num_requests_running" + tail))).isNotNull();
  }

  private static Offset<Double> within(double value) {
    return Offset.offset(value);
  }

  private static String resource() throws IOException {
    try (var in = EngineLoadTest.class.getResourceAsStream("/vllm-metrics.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
