package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Liveness;
import jakarta.inject.Singleton;
import org.apache.kafka.streams.KafkaStreams;
import org.reactivestreams.Publisher;

/** A router whose streams have failed for good works again only after a restart. */
@Singleton
@Liveness
@Requires(beans = RouterConfig.class)
final class RouterLiveness implements HealthIndicator {
  private final RouterCore core;

  RouterLiveness(RouterCore core) {
    this.core = core;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    boolean isAlive = core.state() != KafkaStreams.State.ERROR;
    return Publishers.just(
        HealthResult.builder("streams", isAlive ? HealthStatus.UP : HealthStatus.DOWN).build());
  }
}
