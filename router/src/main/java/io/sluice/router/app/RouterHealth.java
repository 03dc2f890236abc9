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
 * Up while every partition that falls to this router is being worked on; a stale fleet view is
 * reported, but is no fault.
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
