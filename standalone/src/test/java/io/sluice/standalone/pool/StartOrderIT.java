package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import io.sluice.standalone.redis.RedisSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Services of a new pool start in any order. */
class StartOrderIT {

  @Test
  void aGatewayWaitsForTheFirstRouter() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        EmbeddedRedis redis = EmbeddedRedis.start(RedisSettings.local(0))) {
      // Given
      Map<String, String> settings =
          Map.of(
              "port", "0",
              "kafka", kafka.bootstrapServers(),
              "redis", redis.uri(),
              "partitions", "2",
              "replication", "1");
      CompletableFuture<Gateway> gateway =
          CompletableFuture.supplyAsync(() -> Gateway.start(GatewayConfig.of(settings)));
      assertThatThrownBy(() -> gateway.get(3, TimeUnit.SECONDS))
          .isInstanceOf(TimeoutException.class);

      // When
      try (Router router = Router.start(RouterConfig.of(settings))) {
        // Then
        try (Gateway started = gateway.get(90, TimeUnit.SECONDS);
            HttpClient client = HttpClient.newHttpClient()) {
          URI models = URI.create("http://127.0.0.1:" + started.port() + "/v1/models");
          assertThat(client.send(HttpRequest.newBuilder(models).build(), BodyHandlers.discarding()))
              .returns(200, response -> response.statusCode());
        }
        assertThat(router.reachableWorkers()).isZero();
      }
    }
  }
}
