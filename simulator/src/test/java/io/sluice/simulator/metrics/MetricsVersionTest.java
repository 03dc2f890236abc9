package io.sluice.simulator.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LoraUse;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MetricsVersionTest {

  private static final EngineConfig CONFIG =
      new EngineConfig(
          Timing.of(GpuProfile.H100), Scheduling.of(256, 8192), 8192, 27_648, 16, true);

  @Test
  void release32AddsRefusedRequestsWithoutAnEngineLabel() {
    ServerMetrics metrics = metrics("0.32.0");
    metrics.rejected(AdmissionLimit.QUEUED_TOKENS);

    assertThat(metrics.text())
        .contains(
            "vllm:admission_rejections_total{model_name=\"m\",reason=\"max_num_queued_reqs\"} 0.0\n")
        .contains(
            "vllm:admission_rejections_total{model_name=\"m\",reason=\"max_num_queued_tokens\"} 1.0\n");
    assertThat(families("0.30.0")).doesNotContain("vllm:admission_rejections_total");
  }

  @Test
  void release22LacksThePreemptionHistogramAndTheEstimates() {
    assertThat(families("0.30.1")).contains("vllm:request_num_preemptions");
    assertThat(families("0.22.0"))
        .contains("vllm:kv_cache_usage_perc", "vllm:inter_token_latency_seconds")
        .doesNotContain("vllm:request_num_preemptions")
        .noneMatch(name -> name.startsWith("vllm:estimated_"));
  }

  @Test
  void release10HasTheOldNamesAndNoneOfTheNewOnes() {
    assertThat(families("v0.10.2"))
        .contains(
            "vllm:gpu_cache_usage_perc",
            "vllm:gpu_prefix_cache_queries_total",
            "vllm:gpu_prefix_cache_hits_total",
            "vllm:time_per_output_token_seconds")
        .doesNotContain(
            "vllm:kv_cache_usage_perc",
            "vllm:prefix_cache_queries_total",
            "vllm:prefix_cache_hits_total",
            "vllm:inter_token_latency_seconds");
  }

  @Test
  void theOldNamesHaveTheSameValues() {
    ServerMetrics metrics = metrics("0.10.0");

    metrics.updateEngine(new EngineStats(3, 2, 1, 0.25, 0, 640, 320, 0, 0));
    metrics.nextTokenAfter(20_000_000);

    assertThat(metrics.text())
        .contains("vllm:gpu_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.25\n")
        .contains("vllm:gpu_prefix_cache_hits_total{engine=\"0\",model_name=\"m\"} 320.0\n")
        .contains("vllm:time_per_output_token_seconds_count{engine=\"0\",model_name=\"m\"} 1.0\n")
        .contains("model_name=\"m\",reason=\"capacity\"} 1.0\n")
        .contains("model_name=\"m\",reason=\"deferred\"} 1.0\n");
  }

  @Test
  void tokensOfAStepIncludeCachedOnesOfPromptsOnlyBefore032() {
    assertThat(iterationTokensOfAStep("0.32.0")).isEqualTo(100 - 64 + 3);
    assertThat(iterationTokensOfAStep("0.31.0")).isEqualTo(100 + 3);
  }

  @Test
  void lookupsOfReadmittedSequencesCountOnlyBefore011() {
    assertThat(prefixCacheOf("0.11.0")).contains("queries_total 640.0", "hits_total 320.0");
    assertThat(prefixCacheOf("0.10.2")).contains("queries_total 710.0", "hits_total 384.0");
  }

  @Test
  void anInvalidVersionIsRejected() {
    assertThatThrownBy(() -> metrics("latest"))
        .hasMessageContaining("'latest' is not a vLLM version");
  }

  @Test
  void thePageStartsWithTheProcessMetrics() {
    List<String> names =
        metrics("0.30.0")
            .text()
            .lines()
            .filter(line -> line.startsWith("# TYPE"))
            .map(line -> line.split(" ")[2])
            .limit(11)
            .toList();

    assertThat(names)
        .containsExactly(
            "python_gc_objects_collected_total",
            "python_gc_objects_uncollectable_total",
            "python_gc_collections_total",
            "python_info",
            "process_virtual_memory_bytes",
            "process_resident_memory_bytes",
            "process_start_time_seconds",
            "process_cpu_seconds_total",
            "process_open_fds",
            "process_max_fds",
            "vllm:estimated_flops_per_gpu_total");
  }

  @Test
  void adaptersAppearWithTheirFirstUseAndTheNewestSetHasTheLargestValue() {
    // Given
    double[] now = {1000};
    EngineConfig config = CONFIG.withScheduling(Scheduling.of(8, 100).withMaxLoras(2));
    ServerMetrics metrics = new ServerMetrics("m", config, "0.30.0", () -> now[0]);
    assertThat(metrics.text()).doesNotContain("lora_requests_info");

    // When
    metrics.updateAdapters(
        new LoraUse(new TreeSet<>(List.of("a", "b")), new TreeSet<>(List.of("c"))));
    now[0] = 1001;
    metrics.updateAdapters(new LoraUse(new TreeSet<>(), new TreeSet<>()));

    // Then
    assertThat(metrics.text())
        .contains(
            "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a,b\",waiting_lora_adapters=\"c\"} 1000.0\n")
        .contains(
            "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"\",waiting_lora_adapters=\"\"} 1001.0\n");
  }

  @Test
  void sleepShowsInExactlyOneState() {
    ServerMetrics metrics = metrics("0.30.0");

    metrics.setSleepLevel(2);

    assertThat(metrics.text())
        .contains("sleep_state=\"awake\"} 0.0\n")
        .contains("sleep_state=\"weights_offloaded\"} 0.0\n")
        .contains("sleep_state=\"discard_all\"} 1.0\n");
  }

  private static double iterationTokensOfAStep(String version) {
    ServerMetrics metrics = metrics(version);
    metrics.stepFinished(100, 64, 3);
    String sum = "vllm:iteration_tokens_total_sum{engine=\"0\",model_name=\"m\"} ";
    return metrics
        .text()
        .lines()
        .filter(line -> line.startsWith(sum))
        .mapToDouble(line -> Double.parseDouble(line.substring(sum.length())))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> prefixCacheOf(String version) {
    ServerMetrics metrics = metrics(version);
    metrics.updateEngine(new EngineStats(3, 2, 1, 0.25, 1, 640, 320, 70, 64));
    return metrics
        .text()
        .lines()
        .map(line -> line.replaceFirst("^vllm:(gpu_)?prefix_cache_(.*)\\{.*} ", "$2 "))
        .toList();
  }

  private static Set<String> families(String version) {
    return metrics(version)
        .text()
        .lines()
        .filter(line -> line.startsWith("# TYPE"))
        .map(line -> line.split(" ")[2])
        .collect(Collectors.toSet());
  }

  private static ServerMetrics metrics(String version) {
    return new ServerMetrics("m", CONFIG, version, () -> 1000);
  }
}
