package io.sluice.worker.app;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.sluice.worker.config.WorkerConfig;

/**
 * {@code /metrics} and {@code /prometheus} in the format that the scraper asks for. Only
 * OpenMetrics has exemplars; Micronaut's own endpoint does not know it.
 */
@Requires(beans = WorkerConfig.class)
@Controller
final class MetricsController {
  private static final String OPEN_METRICS = "application/openmetrics-text";
  private static final String OPEN_METRICS_1 = OPEN_METRICS + "; version=1.0.0; charset=utf-8";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry;

  MetricsController(PrometheusMeterRegistry registry) {
    this.registry = registry;
  }

  @Get(
      uris = {"/metrics", "/prometheus"},
      produces = MediaType.ALL)
  HttpResponse<String> scrape(HttpHeaders headers) {
    boolean isOpenMetrics =
        headers.getAll(HttpHeaders.ACCEPT).stream().anyMatch(it -> it.contains(OPEN_METRICS));
    String format = isOpenMetrics ? OPEN_METRICS_1 : TEXT;
    return HttpResponse.ok(registry.scrape(format)).contentType(MediaType.of(format));
  }
}
