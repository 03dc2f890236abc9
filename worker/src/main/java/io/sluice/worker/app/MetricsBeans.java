package io.sluice.worker.app;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micronaut.configuration.metrics.micrometer.prometheus.PrometheusMeterRegistryFactory;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.tracing.Tracing;
import io.sluice.worker.config.WorkerConfig;
import jakarta.inject.Singleton;

/** Gives the metrics their traces; without tracing they are Micronaut's own. */
@Requires(beans = WorkerConfig.class)
@Factory
final class MetricsBeans {

  @Replaces(bean = PrometheusMeterRegistry.class, factory = PrometheusMeterRegistryFactory.class)
  @Singleton
  PrometheusMeterRegistry registry(Tracing tracing) {
    var metrics = new PrometheusRegistry();
    return tracing.tracer().isOn()
        ? new PrometheusMeterRegistry(
            PrometheusConfig.DEFAULT, metrics, Clock.SYSTEM, new TraceExemplars())
        : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, metrics, Clock.SYSTEM);
  }
}
