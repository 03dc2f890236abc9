package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.Map;
import org.reactivestreams.Publisher;

/**
 * Reports up while all assigned partitions are being worked on. A stale fleet view is shown in the
 * details and does not make the router unhealthy.
 */
@Singleton
@Requires(beans = RouterConfig.class)
final class RouterHealth implements HealthIndicator {
  private final RouterCore core;

  RouterHealth(RouterCore core) {
    this.core = core;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    var fleet = core.fleet().current();
    return Publishers.just(
        HealthResult.builder("router", core.isRunning() ? HealthStatus.UP : HealthStatus.DOWN)
            .details(
                Map.of(
                    "streams", core.state().name(),
                    "workers", fleet.workers().size(),
                    "fleetFresh", fleet.fresh()))
            .build());
  }
}
