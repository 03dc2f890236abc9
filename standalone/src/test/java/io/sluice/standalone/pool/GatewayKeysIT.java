package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.config.InvalidSettingsException;
import io.sluice.gateway.access.command.KeyCreateCommand;
import io.sluice.gateway.access.command.KeyListCommand;
import io.sluice.gateway.access.command.KeyRevokeCommand;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import picocli.CommandLine;

/** A gateway with API keys in Redis. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayKeysIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient http = HttpClient.newHttpClient();
  private Backends backends;
  private LocalPool pool;
  private Gateway gateway;

  @BeforeAll
  void start(Backends shared) throws Exception {
    backends = shared;
    pool = Pools.start(backends, 3);
    gateway = Pools.gateway(pool, Map.of("host", "0.0.0.0", "keys", "redis"));
  }

  @AfterAll
  void stop() {
    gateway.close();
    pool.close();
  }

  @Test
  void withoutAValidKeyNothingIsServedButHealth() throws Exception {
    // Then
    assertThat(get("/v1/models", "").statusCode()).isEqualTo(401);
    assertThat(chat("sk-sluice-0123456789ab-wrong", "sluice-8b").statusCode()).isEqualTo(401);
    HttpResponse<String> none = chat("", "sluice-8b");
    assertThat(none.statusCode()).isEqualTo(401);
    assertThat(none.body()).contains("\"code\":\"invalid_api_key\"");
    assertThat(get("/health", "").statusCode()).isEqualTo(200);
  }

  @Test
  void aKeyOpensUntilItIsRevoked() throws Exception {
    // Given
    String key = create("--tenant=acme", "--name=short-lived");
    awaitKnown(key);
    assertThat(chat(key, "sluice-8b").statusCode()).isEqualTo(200);
    assertThat(run(new KeyListCommand())).contains("short-lived").doesNotContain(key);

    // When
    run(new KeyRevokeCommand(), key.split("-")[2]);

    // Then
    await().atMost(PATIENCE).until(() -> get("/v1/models", key).statusCode() == 401);
  }

  @Test
  void theLimitsOfAKeyAreTold() throws Exception {
    // Given
    String key = create("--tenant=small", "--requests-per-minute=1", "--tokens-per-minute=1000000");
    awaitKnown(key);

    // When
    HttpResponse<String> first = chat(key, "sluice-8b");
    HttpResponse<String> second = chat(key, "sluice-8b");

    // Then
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("x-ratelimit-limit-requests")).contains("1");
    assertThat(first.headers().firstValue("x-ratelimit-remaining-requests")).contains("0");
    assertThat(first.headers().firstValue("x-ratelimit-limit-tokens")).contains("1000000");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.body()).contains("quota_exceeded", "1 requests a minute");
    assertThat(second.headers().firstValue("retry-after")).isPresent();
  }

  @Test
  void aRequestThatIsLargerThanTheLimitIsNeverRetried() throws Exception {
    // Given
    String key = create("--tenant=tiny", "--tokens-per-minute=3");
    awaitKnown(key);

    // When
    HttpResponse<String> response = chat(key, "sluice-8b");

    // Then
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.headers().firstValue("x-should-retry")).contains("false");
  }

  @Test
  void modelsThatAKeyDoesNotAllowAreRefused() throws Exception {
    // Given
    String key = create("--tenant=acme", "--models=sluice-8b");
    awaitKnown(key);

    // Then
    assertThat(chat(key, "sluice-8b").statusCode()).isEqualTo(200);
    assertThat(chat(key, "sluice-mini").statusCode()).isEqualTo(403);
  }

  @Test
  void aGatewayWithoutKeysServesItsOwnMachineOnly() {
    assertThatThrownBy(() -> GatewayConfig.of(Map.of("host", "0.0.0.0")))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("without API keys");
  }

  /** Gateways read the keys once a second. */
  private void awaitKnown(String key) {
    await().atMost(PATIENCE).until(() -> get("/v1/models", key).statusCode() == 200);
  }

  private String create(String... options) {
    return run(new KeyCreateCommand(), options).strip();
  }

  private String run(Object command, String... options) {
    StringWriter out = new StringWriter();
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add("--redis=" + backends.redisUri());
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .execute(arguments.toArray(String[]::new));
    assertThat(code).isZero();
    return out.toString();
  }

  private HttpResponse<String> chat(String key, String model) throws Exception {
    return http.send(
        request("/v1/chat/completions", key)
            .header("content-type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    """
                    {"model":"%s","max_tokens":4,"messages":[{"role":"user","content":"Hello"}]}
                    """
                        .formatted(model)))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path, String key) throws Exception {
    return http.send(request(path, key).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path, String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path));
    return key.isEmpty() ? request : request.header("authorization", "Bearer " + key);
  }
}
