package io.sluice.simulator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {

  private static final EngineConfig CONFIG =
      new EngineConfig(
          Timing.of(GpuProfile.H100), Scheduling.of(256, 8192), 8192, 27_648, 16, true);

  @Test
  void thePageHasEverySeriesOfRelease30InItsOrderFromTheStart() throws IOException {
    ServerMetrics metrics =
        new ServerMetrics(
            "meta-llama/Llama-3.1-8B-Instruct", CONFIG, "0.30.0", () -> 1.79522402121818e9);

    List<String> ours = withoutValues(metrics.text());

    assertThat(ours)
        .isEqualTo(
            withoutValues(sample()).stream().filter(line -> !line.contains("http_")).toList());
  }

  @Test
  void anHttpRequestAddsTheHttpFamilies() throws IOException {
    // Given
    ServerMetrics metrics =
        new ServerMetrics(
            "meta-llama/Llama-3.1-8B-Instruct", CONFIG, "0.30.0", () -> 1.79522402121818e9);

    // When
    metrics.httpAnswered("/v1/chat/completions", "POST", 200, 300, 0, 560_000_000L);

    // Then
    assertThat(withoutValues(metrics.text())).isEqualTo(withoutValues(sample()));
    assertThat(metrics.text())
        .contains("http_request_duration_highr_seconds_bucket{le=\"0.5\"} 0.0\n")
        .contains("http_request_duration_highr_seconds_bucket{le=\"0.75\"} 1.0\n")
        .contains("http_request_size_bytes_sum{handler=\"/v1/chat/completions\"} 300.0\n");
  }

  @Test
  void from032OnTheHttpFamiliesAreAnnouncedBeforeAnyRequest() {
    // When
    String page = new ServerMetrics("m", CONFIG, "0.32.0", () -> 1).text();

    // Then
    assertThat(page.lines().filter(line -> line.matches("# TYPE http_.*")))
        .containsExactly(
            "# TYPE http_requests_total counter",
            "# TYPE http_request_size_bytes summary",
            "# TYPE http_response_size_bytes summary",
            "# TYPE http_request_duration_highr_seconds histogram",
            "# TYPE http_request_duration_highr_seconds_created gauge",
            "# TYPE http_request_duration_seconds histogram");
    assertThat(page.lines().filter(line -> line.startsWith("http_")))
        .hasSize(25)
        .contains("http_request_duration_highr_seconds_bucket{le=\"+Inf\"} 0.0")
        .allMatch(line -> line.startsWith("http_request_duration_highr_seconds_"));
  }

  @Test
  void theCacheConfigurationReportsTheBlocksAndHowManyFullContextsFit() {
    String page = new ServerMetrics("m", CONFIG, "0.30.0", () -> 1).text();

    assertThat(page)
        .contains("block_size=\"16\"")
        .contains("num_gpu_blocks=\"27648\"")
        .contains("kv_cache_size_tokens=\"442368\"")
        .contains("kv_cache_max_concurrency=\"54.0\"");
  }

  /** Keeps comments, names and labels, and only the label names of the cache configuration. */
  private static List<String> withoutValues(String page) {
    return page.lines()
        .filter(line -> !line.isBlank() && !line.matches("(# \\w+ )?(python|process)_.*"))
        .map(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(' ')))
        .map(
            line ->
                line.startsWith("vllm:cache_config_info")
                    ? line.replaceAll("=\"[^\"]*\"", "")
                    : line)
        .toList();
  }

  private static String sample() throws IOException {
    try (InputStream in = ServerMetricsTest.class.getResourceAsStream("/vllm-0.30-metrics.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
