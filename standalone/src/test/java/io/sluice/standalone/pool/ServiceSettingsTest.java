package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.GatewayConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceSettingsTest {
  @Test
  void theGatewaysVariablesSetWhatThePlanDoesNot() {
    GatewayConfig gateway =
        gateway(
            Map.of(
                "SLUICE_GATEWAY_CORS_ORIGINS", "https://example.org",
                "SLUICE_GATEWAY_DRAIN_GRACE_MILLIS", "5000"));

    assertThat(gateway.corsOrigins()).containsExactly("https://example.org");
    assertThat(gateway.drainGrace()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void variablesDoNotTakeTheGatewayFromItsPool() {
    GatewayConfig gateway =
        gateway(
            Map.of(
                "SLUICE_GATEWAY_HOST", "0.0.0.0",
                "SLUICE_GATEWAY_PORT", "1",
                "SLUICE_GATEWAY_FILES", "s3:another",
                "SLUICE_KAFKA", "elsewhere:9092",
                "SLUICE_KAFKA_CONFIG", "missing.properties",
                "SLUICE_POOL", "another",
                "SLUICE_REDIS", "redis://elsewhere:6379",
                "SLUICE_REDIS_PASSWORD_FILE", "missing",
                "SLUICE_REDIS_CA", "missing",
                "SLUICE_REPLY_SERVICE", "another"));

    assertThat(gateway).isEqualTo(gateway(Map.of()));
  }

  private static GatewayConfig gateway(Map<String, String> environment) {
    PoolPlan plan =
        PoolPlan.over(Ports.standard(), List.of(), Optional.empty())
            .withGatewayVariables(environment);
    var settings =
        new ServiceSettings(plan, "127.0.0.1:19092", "redis://127.0.0.1:16379", Optional.empty());
    return GatewayConfig.SCHEMA.read(settings.gateway(Path.of("files")));
  }
}
