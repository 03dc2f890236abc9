package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetricsPageTest {

  private static final MetricsPage PAGE =
      new MetricsPage(
          """
          # HELP vllm:num_requests_running Number of requests
          # TYPE vllm:num_requests_running gauge
          vllm:num_requests_running{engine="0",model_name="a"} 3.0
          vllm:num_requests_running{engine="1",model_name="a"} 4.0
          vllm:prefix_cache_queries_total{engine="0"} 1.5e+06
          vllm:cache_config_info{_block_size_resolved="True",block_size="128",num_gpu_blocks="1365"} 1.0
          """);

  @Test
  void valuesAreSummedOverLabels() {
    assertThat(PAGE.sum("vllm:num_requests_running")).isEqualTo(7);
    assertThat(PAGE.sum("vllm:prefix_cache_queries_total")).isEqualTo(1_500_000);
    assertThat(PAGE.sum("vllm:prefix_cache")).isZero();
  }

  @Test
  void labelsAreFoundByTheirWholeName() {
    assertThat(PAGE.label("vllm:cache_config_info", "block_size")).contains("128");
    assertThat(PAGE.label("vllm:cache_config_info", "num_gpu_blocks")).contains("1365");
    assertThat(PAGE.label("vllm:cache_config_info", "blocks")).isEmpty();
    assertThat(PAGE.label("vllm:other_info", "block_size")).isEmpty();
  }

  @Test
  void meansAreComputedOverTheRecordedValues() {
    assertThat(PAGE.mean("vllm:num_requests_running")).hasValue(3.5);
    assertThat(PAGE.mean("vllm:other")).isEmpty();
  }

  @Test
  void aLabelSelectsLines() {
    assertThat(PAGE.with("engine", "1").sum("vllm:num_requests_running")).isEqualTo(4);
    assertThat(PAGE.with("engine", "2").sum("vllm:num_requests_running")).isZero();
  }
}
