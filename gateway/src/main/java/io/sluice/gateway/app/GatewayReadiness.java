package io.sluice.gateway.app;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.PoolDependencies;
import io.sluice.producer.client.SluiceClient;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.reactivestreams.Publisher;

/**
 * A gateway is ready while Kafka answers and it does not stop, once it has reached Redis. A later
 * loss of Redis does not make it unready.
 */
@Singleton
@Readiness
final class GatewayReadiness implements HealthIndicator {
  private final Shutdown shutdown;
  private final SluiceClient client;
  private final DependencyWatch dependencies;

  GatewayReadiness(Shutdown shutdown, SluiceClient client, DependencyWatch dependencies) {
    this.shutdown = shutdown;
    this.client = client;
    this.dependencies = dependencies;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    boolean isReady =
        !shutdown.isDraining() && !client.isClosed() && PoolDependencies.arePresent(dependencies);
    Map<String, Object> details = new HashMap<>(dependencies.details());
    details.put("draining", shutdown.isDraining());
    return Publishers.just(
        HealthResult.builder("gateway", isReady ? HealthStatus.UP : HealthStatus.DOWN)
            .details(details)
            .build());
  }
}
