package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Liveness;
import jakarta.inject.Singleton;
import org.reactivestreams.Publisher;

/** A router whose bulk feeder was ended by an error feeds again only after a restart. */
@Singleton
@Liveness
@Requires(beans = RouterConfig.class)
final class BulkFeederLiveness implements HealthIndicator {
  private final RouterCore core;

  BulkFeederLiveness(RouterCore core) {
    this.core = core;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    HealthStatus status = core.isFeedingBulk() ? HealthStatus.UP : HealthStatus.DOWN;
    return Publishers.just(HealthResult.builder("bulk-feeder", status).build());
  }
}
