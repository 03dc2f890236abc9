package io.sluice.worker.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.PoolDependencies;
import io.sluice.worker.config.WorkerConfig;
import jakarta.inject.Singleton;
import org.reactivestreams.Publisher;

/**
 * A worker is ready while it reads its topic, Kafka answers, and its engine answers with its key,
 * once it has registered. A later loss of Redis does not make it unready.
 */
@Singleton
@Readiness
@Requires(beans = WorkerConfig.class)
final class WorkerReadiness implements HealthIndicator {
  private final WorkerRuntime runtime;
  private final DependencyWatch dependencies;

  WorkerReadiness(WorkerRuntime runtime, DependencyWatch dependencies) {
    this.runtime = runtime;
    this.dependencies = dependencies;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    boolean isReady =
        runtime.isStarted()
            && PoolDependencies.arePresent(dependencies)
            && dependencies.state(WorkerDependencies.ENGINE).isUp();
    return Publishers.just(
        HealthResult.builder("worker", isReady ? HealthStatus.UP : HealthStatus.DOWN)
            .details(dependencies.details())
            .build());
  }
}
