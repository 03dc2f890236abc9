package io.sluice.router.app;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Liveness;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.KafkaStreams;
import org.reactivestreams.Publisher;

/**
 * A router whose streams, or a thread that requests depend on, have failed permanently works again
 * only after a restart.
 */
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
    return Publishers.just(result(core.state(), core.failedThreads()));
  }

  static HealthResult result(KafkaStreams.State streams, Set<String> failedThreads) {
    boolean isAlive = streams != KafkaStreams.State.ERROR && failedThreads.isEmpty();
    return HealthResult.builder("threads", isAlive ? HealthStatus.UP : HealthStatus.DOWN)
        .details(Map.of("streams", streams.name(), "failed", failedThreads))
        .build();
  }
}
