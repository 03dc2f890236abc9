package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.RouterConfig;
import io.sluice.worker.config.WorkerConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceSettingsTest {
  private static final URI ENGINE = URI.create("http://127.0.0.1:8000");
  private static final Path FILES = Path.of("files");

  @Test
  void variablesOfServicesOverrideTheirDefaults() {
    // Given
    ServiceSettings settings =
        settings(
            Map.of(
                "SLUICE_GATEWAY_CORS_ORIGINS", "https://example.org",
                "SLUICE_GATEWAY_DRAIN_GRACE_MILLIS", "5000",
                "SLUICE_ROUTER_THREADS", "3",
                "SLUICE_MAX_CONCURRENT", "7"));

    // When
    GatewayConfig gateway = GatewayConfig.SCHEMA.read(settings.gateway(FILES));
    RouterConfig router = RouterConfig.SCHEMA.read(settings.router());
    WorkerConfig worker = WorkerConfig.SCHEMA.read(settings.worker(0, ENGINE));

    // Then
    assertThat(gateway.corsOrigins()).containsExactly("https://example.org");
    assertThat(gateway.drainGrace()).isEqualTo(Duration.ofSeconds(5));
    assertThat(router.threads()).isEqualTo(3);
    assertThat(worker.limits().maxConcurrent()).isEqualTo(7);
  }

  @Test
  void variablesDoNotMoveAServiceOfThePoolElsewhere() {
    // Given
    ServiceSettings settings =
        settings(
            Map.of(
                "SLUICE_GATEWAY_PORT", "1",
                "SLUICE_KAFKA", "elsewhere:9092",
                "SLUICE_KAFKA_CONFIG", "missing.properties",
                "SLUICE_POOL", "another",
                "SLUICE_REDIS", "redis://elsewhere:6379",
                "SLUICE_REDIS_PASSWORD_FILE", "missing",
                "SLUICE_REDIS_CA", "missing"));

    // When
    GatewayConfig gateway = GatewayConfig.SCHEMA.read(settings.gateway(FILES));

    // Then
    assertThat(gateway.port()).isEqualTo(Ports.standard().gateway());
    assertThat(gateway.pool().kafka()).isEqualTo("127.0.0.1:19092");
    assertThat(gateway.pool().name()).isEqualTo("default");
    assertThat(gateway.pool().redis().uri()).isEqualTo("redis://127.0.0.1:16379");
  }

  private static ServiceSettings settings(Map<String, String> environment) {
    PoolPlan plan =
        PoolPlan.over(Ports.standard(), List.of(ENGINE), Optional.empty())
            .withEnvironment(environment);
    return new ServiceSettings(
        plan, "127.0.0.1:19092", "redis://127.0.0.1:16379", Optional.empty());
  }
}
