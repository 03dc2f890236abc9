package io.sluice.gateway.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.PoolDependencies;
import io.sluice.fleet.PoolSettings;
import io.sluice.fleet.redis.RedisProbe;
import io.sluice.gateway.config.GatewayConfig;
import jakarta.inject.Singleton;
import java.util.List;
import org.redisson.api.RedissonClient;

/** What a gateway needs. */
@Factory
final class GatewayDependencies {
  @Bean(preDestroy = "close")
  @Singleton
  KafkaProbe kafkaProbe(GatewayConfig config) {
    return KafkaProbe.open(config.pool().kafka(), config.pool().kafkaProperties().entries());
  }

  /** Returns a watch that has started. */
  @Bean(preDestroy = "close")
  @Singleton
  DependencyWatch watch(
      GatewayConfig config, KafkaProbe kafka, RedissonClient redis, MeterRegistry registry) {
    PoolSettings pool = config.pool();
    DependencyWatch watch =
        new DependencyWatch(
            "gateway",
            List.of(
                PoolDependencies.kafka(
                    pool.kafka(), kafka, "requests are refused, and answers stand still"),
                PoolDependencies.redis(
                    pool.redis().shown(),
                    new RedisProbe(redis, pool.name())::ask,
                    "limits of API keys and retries of clients count at this gateway alone")));
    for (String name : watch.names()) {
      Gauge.builder("sluice.gateway.dependency.up", watch, w -> w.state(name).isUp() ? 1 : 0)
          .description("1 if the dependency answers, otherwise 0")
          .tag("dependency", name)
          .register(registry);
    }
    watch.start();
    return watch;
  }
}
