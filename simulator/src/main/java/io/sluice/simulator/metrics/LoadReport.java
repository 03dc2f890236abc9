package io.sluice.simulator.metrics;

import java.util.Locale;
import java.util.Optional;

/**
 * The load of an engine in ORCA format (Open Request Cost Aggregation), which an answer can carry
 * in a header.
 *
 * @param kvUsage the used share of the KV cache, from 0 to 1
 * @param waiting the number of waiting requests
 */
public record LoadReport(double kvUsage, double waiting) {

  /**
   * Returns the value of the header.
   *
   * @param format {@code TEXT} or {@code JSON}, case-insensitive; other formats have no report
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
