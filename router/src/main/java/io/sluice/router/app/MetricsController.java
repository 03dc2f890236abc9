package io.sluice.router.app;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/**
 * {@code /metrics}, where Prometheus looks by default; the same text as {@code /prometheus}.
 * Thread-safe.
 */
@Requires(beans = RouterConfig.class)
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class MetricsController {
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry;

  MetricsController(PrometheusMeterRegistry registry) {
    this.registry = registry;
  }

  @Get(value = "/metrics", produces = TEXT)
  String metrics() {
    return registry.scrape();
  }
}
