package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Json;
import io.sluice.config.InvalidSettingsException;
import io.sluice.gateway.access.command.KeyCreateCommand;
import io.sluice.gateway.access.command.KeyListCommand;
import io.sluice.gateway.access.command.KeyRevokeCommand;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** A gateway with API keys in Redis. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayKeysIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String CHATS = "/v1/chat/completions";

  private final HttpClient http = HttpClient.newHttpClient();
  private Backends backends;
  private LocalPool pool;
  private Gateway gateway;

  @BeforeAll
  void start(Backends shared) throws Exception {
    backends = shared;
    pool = Pools.start(backends, 3);
    gateway =
        Pools.gateway(
            pool,
            Map.of(
                "host",
                "0.0.0.0",
                "keys",
                "redis",
                "keep-alive-seconds",
                "0.1",
                "cors-origins",
                "https://pages.example"));
  }

  @AfterAll
  void stop() {
    gateway.close();
    pool.close();
  }

  @Test
  void withoutAValidKeyNothingIsServedButHealthAndTheDescription() throws Exception {
    // Then
    assertThat(get("/v1/models", "").statusCode()).isEqualTo(401);
    assertThat(chat("sk-sluice-0123456789ab-wrong", "sluice-8b").statusCode()).isEqualTo(401);
    HttpResponse<String> none = chat("", "sluice-8b");
    assertThat(none.statusCode()).isEqualTo(401);
    assertThat(none.body()).contains("\"code\":\"invalid_api_key\"");
    assertThat(get("/health/liveness", "").statusCode()).isEqualTo(200);
    assertThat(get("/openapi.yaml", "").statusCode()).isEqualTo(200);
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
  void theHeadersTellWhatIsLeftAndWhenAllIsThereAgain() throws Exception {
    // Given three requests a minute: each comes back after 20 s
    String key = create("--tenant=counted", "--requests-per-minute=3", "--tokens-per-minute=600");
    awaitKnown(key);

    // When
    List<HttpResponse<String>> responses =
        List.of(chat(key, "sluice-8b"), chat(key, "sluice-8b"), chat(key, "sluice-8b"));

    // Then
    assertThat(responses)
        .extracting(response -> limit(response, "remaining-requests"))
        .containsExactly("2", "1", "0");
    assertThat(responses)
        .extracting(response -> limit(response, "reset-requests"))
        .containsExactly("20s", "40s", "1m0s");
    assertThat(responses).allSatisfy(GatewayKeysIT::assertTokensAreTold);
  }

  /** A request of four tokens and its prompt reserves some of the 600, which last a minute. */
  private static void assertTokensAreTold(HttpResponse<String> response) {
    assertThat(limit(response, "limit-requests")).isEqualTo("3");
    assertThat(limit(response, "limit-tokens")).isEqualTo("600");
    long left = Long.parseLong(limit(response, "remaining-tokens"));
    assertThat(left).isBetween(500L, 596L);
    String reset = (600 - left) * 100 < 1_000 ? "ms" : "s";
    assertThat(limit(response, "reset-tokens")).matches("[1-9][0-9]*" + reset);
  }

  private static String limit(HttpResponse<String> response, String name) {
    return response.headers().firstValue("x-ratelimit-" + name).orElseThrow();
  }

  @Test
  void aKeyWithoutLimitsHasNoHeadersOfThem() throws Exception {
    // Given
    String key = create("--tenant=free");
    awaitKnown(key);

    // Then
    assertThat(chat(key, "sluice-8b").headers().map().keySet())
        .noneMatch(name -> name.startsWith("x-ratelimit-"));
  }

  @Test
  void tiersAndPrioritiesThatAKeyDoesNotAllowAreRefused() throws Exception {
    // Given
    String key = create("--tenant=modest", "--tiers=fast", "--max-priority=interactive");
    awaitKnown(key);

    // Then
    assertThat(named(key, "x-sluice-tier", "fast").statusCode()).isEqualTo(200);
    assertRefused(
        named(key, "x-sluice-tier", "precise"),
        "tier",
        "this API key does not allow the tier precise; allowed: fast");
    assertThat(named(key, "x-sluice-priority", "interactive").statusCode()).isEqualTo(200);
    String priority = "this API key does not allow the priority urgent; the highest is interactive";
    assertRefused(named(key, "x-sluice-priority", "urgent"), "priority", priority);
    for (String fields :
        List.of("\"service_tier\":\"priority\"", "\"metadata\":{\"sluice_priority\":\"urgent\"}")) {
      HttpRequest request = chatRequest(key, "sluice-8b", fields).build();
      assertRefused(http.send(request, BodyHandlers.ofString()), "priority", priority);
    }
  }

  @Test
  void aKeyForBulkSendsBulkUnlessARequestNamesAnotherPriority() throws Exception {
    // Given
    String key = create("--tenant=modest", "--max-priority=bulk");
    awaitKnown(key);

    // Then
    HttpRequest unnamed = chatRequest(key, "sluice-8b", "\"max_tokens\":4").build();
    assertThat(http.send(unnamed, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertRefused(
        named(key, "x-sluice-priority", "interactive"),
        "priority",
        "this API key does not allow the priority interactive; the highest is bulk");
  }

  private HttpResponse<String> named(String key, String header, String value) throws Exception {
    return http.send(
        chatRequest(key, "sluice-8b", "\"max_tokens\":4").header(header, value).build(),
        BodyHandlers.ofString());
  }

  private static void assertRefused(HttpResponse<String> response, String param, String message)
      throws Exception {
    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(Json.mapper().readTree(response.body()).path("error"))
        .isEqualTo(
            Json.mapper()
                .createObjectNode()
                .put("message", message)
                .put("type", "permission_error")
                .put("param", param)
                .put("code", "permission_denied"));
  }

  @Test
  void neitherKeysNorPromptsAreLogged() throws Exception {
    // Given
    String key = create("--tenant=secret");
    String revoked = create("--tenant=secret");
    awaitKnown(key);
    awaitKnown(revoked);
    String wrong = key.substring(0, key.length() - 6) + "wrong1";
    String prompt = "PromptThatNobodyMayRead";
    String body =
        """
        {"model":"sluice-8b","max_tokens":4,"messages":[{"role":"user","content":"%s"}]}"""
            .formatted(prompt);
    try (LoggedLines logged = new LoggedLines()) {

      // When
      run(new KeyRevokeCommand(), revoked.split("-")[2]);
      await().atMost(PATIENCE).until(() -> get("/v1/models", revoked).statusCode() == 401);
      assertThat(post(CHATS, key, body).statusCode()).isEqualTo(200);
      String stream = body.replace("\"max_tokens\"", "\"stream\":true,\"max_tokens\"");
      assertThat(post(CHATS, key, stream).body()).contains("[DONE]");
      assertThat(post(CHATS, wrong, body).statusCode()).isEqualTo(401);
      assertThat(post(CHATS, revoked, body).statusCode()).isEqualTo(401);
      for (String header : List.of("api-key", "cookie", "x-sluice-tenant", "openai-organization")) {
        assertThat(post(CHATS, "", body, header, key).statusCode()).as(header).isEqualTo(401);
      }
      assertThat(post(CHATS, "", body, "authorization", "Basic " + key).statusCode())
          .isEqualTo(401);
      assertThat(post(CHATS, "", body, "x-api-key", key).statusCode()).isEqualTo(200);
      for (String broken :
          List.of(
              body.replace("\"" + prompt + "\"", prompt),
              body.replace("sluice-8b", "sluice-none"),
              body.replace(":4", ":\"" + prompt + "\""),
              body.replace(
                  "\"max_tokens\":4", "\"metadata\":{\"sluice_tier\":\"" + prompt + "\"}"))) {
        assertThat(post(CHATS, key, broken).statusCode()).as(broken).isBetween(400, 499);
      }
      assertThat(post("/v1/responses", key, "{\"input\":" + prompt).statusCode()).isEqualTo(400);
      assertThat(post("/v1/messages", key, body.replace("user", prompt)).statusCode())
          .isEqualTo(400);

      // Then
      assertThat(logged.lines()).anyMatch(line -> line.contains("event=http"));
      assertThat(logged.lines())
          .noneMatch(line -> line.contains(secret(key)))
          .noneMatch(line -> line.contains(wrong))
          .noneMatch(line -> line.contains(secret(revoked)))
          .noneMatch(line -> line.contains(prompt));
    }
  }

  /** Returns what of a key is not its id, which is logged. */
  private static String secret(String key) {
    return key.substring(key.indexOf('-', "sk-sluice-".length()) + 1);
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
  void aRequestThatIsCancelledCountsWithWhatItMade() throws Exception {
    // Given a stream of which a client reads the beginning
    String key = create("--tenant=hasty", "--tokens-per-minute=100000", "--concurrent=2");
    awaitKnown(key);
    HttpResponse<InputStream> stream =
        http.send(
            chatRequest(key, "sluice-8b", "\"stream\":true,\"max_tokens\":12000").build(),
            BodyHandlers.ofInputStream());
    assertThat(stream.body().read()).isPositive();
    assertThat(remaining(chat(key, "sluice-8b"))).isLessThan(90_000);

    // When
    stream.body().close();

    // Then
    await().atMost(PATIENCE).until(() -> remaining(chat(key, "sluice-8b")) > 95_000);
  }

  @Test
  void aBackgroundResponseHoldsItsPlaceUntilItsEnd() throws Exception {
    // Given
    String key = create("--tenant=patient", "--tokens-per-minute=100000", "--concurrent=1");
    awaitKnown(key);
    HttpResponse<String> created =
        post(
            "/v1/responses",
            key,
            """
            {"model":"sluice-8b","input":"Hello","background":true,"max_output_tokens":4000}""");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
    String id = Json.mapper().readTree(created.body()).path("id").asText();
    HttpResponse<String> refused = chat(key, "sluice-8b");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("1 requests at the same time");

    // When
    post("/v1/responses/" + id + "/cancel", key, "");

    // Then
    await().atMost(PATIENCE).until(() -> chat(key, "sluice-8b").statusCode() == 200);
    await().atMost(PATIENCE).until(() -> remaining(chat(key, "sluice-8b")) > 97_000);
  }

  @Test
  void theKeyNamesTheTenantAndTheHeaderDoesNot() throws Exception {
    // Given
    String acme = create("--tenant=acme");
    String other = create("--tenant=other");
    awaitKnown(other);

    // When
    HttpResponse<String> response =
        http.send(
            chatRequest(acme, "sluice-8b", "\"max_tokens\":4")
                .header("x-sluice-tenant", "other")
                .build(),
            BodyHandlers.ofString());

    // Then
    String answer =
        "/v1/requests/" + response.headers().firstValue("x-request-id").orElseThrow() + "/stream";
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(get(answer, acme).statusCode()).isEqualTo(200);
    assertThat(
            http.send(
                    request(answer, other).header("x-sluice-tenant", "acme").build(),
                    BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(404);
  }

  @Test
  void keysInAFileOpenAndAreRevoked(@TempDir Path folder) throws Exception {
    // Given
    String keys = "--keys=file:" + folder.resolve("keys");
    String key = create("--tenant=filed", keys);
    try (Gateway filed = Pools.gateway(pool, Map.of("keys", keys.substring("--keys=".length())))) {
      HttpRequest request = request(filed, "/v1/models", key).build();
      assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      HttpRequest unknown = request(filed, "/v1/models", create("--tenant=redis")).build();
      assertThat(http.send(unknown, BodyHandlers.ofString()).statusCode()).isEqualTo(401);

      // When
      run(new KeyRevokeCommand(), key.split("-")[2], keys);

      // Then
      await()
          .atMost(PATIENCE)
          .until(() -> http.send(request, BodyHandlers.ofString()).statusCode() == 401);
    }
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
    return http.send(chatRequest(key, model, "\"max_tokens\":4").build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String key, String body) throws Exception {
    return http.send(
        request(path, key)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> post(
      String path, String key, String body, String header, String value) throws Exception {
    return http.send(
        request(path, key)
            .header("content-type", "application/json")
            .header(header, value)
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpRequest.Builder chatRequest(String key, String model, String fields) {
    return request(CHATS, key)
        .header("content-type", "application/json")
        .POST(
            BodyPublishers.ofString(
                """
                {"model":"%s",%s,"ignore_eos":true,"messages":[{"role":"user","content":"Hello"}]}
                """
                    .formatted(model, fields)));
  }

  private static long remaining(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.headers().firstValueAsLong("x-ratelimit-remaining-tokens").orElseThrow();
  }

  private HttpResponse<String> get(String path, String key) throws Exception {
    return http.send(request(path, key).build(), BodyHandlers.ofString());
  }

  @ParameterizedTest
  @CsvSource({"https://pages.example, true", "https://other.example, false"})
  void aPageIsRefusedByItsKeyAndNotByItsOrigin(String origin, boolean isShown) throws Exception {
    // When
    HttpResponse<String> response =
        http.send(
            request("/v1/models", "wrong").header("origin", origin).build(),
            BodyHandlers.ofString());

    // Then
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(response.body()).contains("invalid_api_key");
    assertThat(response.headers().firstValue("access-control-allow-origin").isPresent())
        .isEqualTo(isShown);
  }

  private HttpRequest.Builder request(String path, String key) {
    return request(gateway, path, key);
  }

  private static HttpRequest.Builder request(Gateway gateway, String path, String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path));
    return key.isEmpty() ? request : request.header("authorization", "Bearer " + key);
  }
}
