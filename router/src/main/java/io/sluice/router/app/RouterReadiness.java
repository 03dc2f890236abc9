package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.PoolDependencies;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.reactivestreams.Publisher;

/**
 * A router is ready while it works on its partitions and Kafka answers, once it has seen the fleet.
 * A later loss of Redis does not make it unready: it continues with the last view.
 */
@Singleton
@Readiness
@Requires(beans = RouterConfig.class)
final class RouterReadiness implements HealthIndicator {
  private final RouterCore core;

  RouterReadiness(RouterCore core) {
    this.core = core;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    DependencyWatch dependencies = core.dependencies();
    boolean isReady = core.isRunning() && PoolDependencies.arePresent(dependencies);
    Map<String, Object> details = new HashMap<>(dependencies.details());
    details.put("streams", core.state().name());
    details.put("workers", core.fleet().current().workers().size());
    return Publishers.just(
        HealthResult.builder("router", isReady ? HealthStatus.UP : HealthStatus.DOWN)
            .details(details)
            .build());
  }
}
