package io.sluice.simulator.metrics;

import java.util.Locale;
import java.util.Optional;

/**
 * How loaded an engine is, in the form of ORCA (Open Request Cost Aggregation), which an answer can
 * carry in a header.
 *
 * @param kvUsage the used share of the KV cache, 0 to 1
 * @param waiting the requests that wait
 */
public record LoadReport(double kvUsage, double waiting) {

  /**
   * Returns the header's value.
   *
   * @param format {@code TEXT} or {@code JSON}, in any case; there is no report in another one
   */
  public Optional<String> in(String format) {
    String usage = PythonFloat.text(kvUsage);
    String queue = PythonFloat.text(waiting);
    return switch (format.toUpperCase(Locale.ROOT)) {
      case "TEXT" ->
          Optional.of(
              "TEXT named_metrics.kv_cache_usage_perc=%s, named_metrics.num_requests_waiting=%s"
                  .formatted(usage, queue));
      case "JSON" ->
          Optional.of(
              "JSON {\"named_metrics\": {\"kv_cache_usage_perc\": %s, \"num_requests_waiting\": %s}}"
                  .formatted(usage, queue));
      default -> Optional.empty();
    };
  }
}
