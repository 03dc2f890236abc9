package io.sluice.simulator.endpoint;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.Patience;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The effects of the server's options. */
@Tag("slow")
class ServerSwitchesTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final String CHAT = "/v1/chat/completions";
  private static final String ENDLESS =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"ignore_eos\":true,\"stream\":true}";
  private static final String SHORT =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"max_tokens\":%d}";

  private SimulatedEngine engine;
  private Client client;

  private void start(double speed, Consumer<ServerOptions.Draft> switches) throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withSpeed(speed)
                .withServer(ServerOptions.with(switches)),
            TOKENIZER);
    client = new Client(engine);
  }

  private void start(String version, Consumer<ServerOptions.Draft> switches) throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withVersion(version)
                .withServer(ServerOptions.with(switches)),
            TOKENIZER);
    client = new Client(engine);
  }

  @AfterEach
  void stop() {
    engine.kill();
  }

  @Test
  void aKeyIsRequiredUnderV1Only() throws IOException {
    start(50, options -> options.apiKeys = List.of("one", "two"));

    HttpResponse<String> refused = client.post(CHAT, SHORT.formatted(1));

    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.body()).isEqualTo("{\"error\":\"Unauthorized\"}");
    assertThat(refused.headers().firstValue("www-authenticate")).isEmpty();
    assertThat(client.get("/v1/models").statusCode()).isEqualTo(401);
    assertThat(client.get("/health").statusCode()).isEqualTo(200);
    assertThat(client.post("/tokenize", "{\"prompt\":\"a\"}").statusCode()).isEqualTo(200);
    assertThat(client.post(CHAT, SHORT.formatted(1), "authorization", "Bearer two").statusCode())
        .isEqualTo(200);
    assertThat(client.post(CHAT, SHORT.formatted(1), "authorization", "Bearer three").statusCode())
        .isEqualTo(401);
  }

  @Test
  void requestIdsAreEchoedOrGeneratedIfEnabled() throws IOException {
    start(50, options -> options.requestIdHeaders = true);

    assertThat(
            client
                .post(CHAT, SHORT.formatted(1), "X-Request-Id", "mine")
                .headers()
                .firstValue("x-request-id"))
        .contains("mine");
    assertThat(client.get("/version").headers().firstValue("x-request-id").orElseThrow())
        .matches("[0-9a-f]{32}");
  }

  @Test
  void requestsAboveTheLimitGet503AlsoAsStreams() throws IOException {
    start(1, options -> options.maxQueuedRequests = OptionalInt.of(2));
    try (Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");

      HttpResponse<String> two = client.post(CHAT, SHORT.formatted(1).replace("1}", "1,\"n\":2}"));
      HttpResponse<String> stream =
          client.post(CHAT, SHORT.formatted(1).replace("1}", "1,\"n\":2,\"stream\":true}"));

      assertThat(two.statusCode()).isEqualTo(503);
      assertThat(two.body())
          .isEqualTo(
              "{\"error\":{\"message\":\"The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.\",\"type\":\"Service Unavailable\",\"param\":null,\"code\":503}}");
      assertThat(stream.statusCode()).isEqualTo(503);
      assertThat(client.post(CHAT, SHORT.formatted(1)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void requestsAtThePromptTokenLimitGet503() throws IOException {
    start(
        50,
        options -> {
          options.maxQueuedTokens = OptionalLong.of(1);
          options.devMode = true;
        });
    client.post("/pause", "");
    try (Socket waiting = client.open(CHAT, ENDLESS)) {
      Client.readUntil(waiting, "\r\n\r\n");

      assertThat(client.post(CHAT, SHORT.formatted(1)).body())
          .contains("prefill token backlog limit");
    }
  }

  @Test
  void usageReportsCachedTokensIfEnabled() throws IOException {
    start(50, options -> options.promptTokensDetails = true);
    String body =
        "{\"prompt\":\"%s\",\"max_tokens\":1}".formatted("All work and no play. ".repeat(20));

    JsonNode cold = client.json("/v1/completions", body);
    JsonNode warm = client.json("/v1/completions", body);

    assertThat(cold.at("/usage/prompt_tokens_details/cached_tokens").asInt(-1)).isZero();
    assertThat(warm.at("/usage/prompt_tokens_details/cached_tokens").asInt())
        .isPositive()
        .isLessThan(warm.at("/usage/prompt_tokens").asInt());
  }

  @Test
  void aDefaultLimitIsThatOfChatsWithoutOneAndTheContextCutsIt() throws IOException {
    // Given
    String open = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"ignore_eos\":true%s}";
    start(50, options -> options.defaultMaxTokens = OptionalInt.of(7));

    // When
    String unlimited = client.post(CHAT, open.formatted("")).body();
    String limited = client.post(CHAT, open.formatted(",\"max_tokens\":9")).body();
    String tooMany = client.post(CHAT, open.formatted(",\"min_tokens\":1000")).body();
    String completion =
        client.post("/v1/completions", "{\"prompt\":\"Hi\",\"ignore_eos\":true}").body();

    // Then
    assertThat(unlimited).contains("\"completion_tokens\":7", "\"finish_reason\":\"length\"");
    assertThat(limited).contains("\"completion_tokens\":9");
    assertThat(tooMany).contains("less than or equal to max_tokens=7, got 1000");
    assertThat(completion).contains("\"completion_tokens\":16");
  }

  @Test
  void saltsSeparateCaches() throws IOException {
    start(50, options -> options.promptTokensDetails = true);
    String body =
        "{\"prompt\":\"%s\",\"max_tokens\":1,\"cache_salt\":\"%s\"}"
            .formatted("All work and no play. ".repeat(20), "%s");
    client.json("/v1/completions", body.formatted("a"));

    assertThat(
            client
                .json("/v1/completions", body.formatted("b"))
                .at("/usage/prompt_tokens_details/cached_tokens")
                .asInt(-1))
        .isZero();
    assertThat(client.post("/v1/completions", body.formatted("a@b")).statusCode()).isEqualTo(400);
  }

  @Test
  void aSilentStreamGetsCommentsEvenBeforeItsFirstFrame() throws IOException {
    start(
        50,
        options -> {
          options.sseKeepAlive = Optional.of(Duration.ofMillis(30));
          options.devMode = true;
        });
    client.post("/pause", "");
    try (Socket waiting = client.open(CHAT, ENDLESS)) {
      assertThat(Client.readUntil(waiting, ": keep-alive\n\n")).doesNotContain("data:");
    }
  }

  @Test
  void aPauseHoldsRequestsUntilResume() throws IOException {
    start(50, options -> options.devMode = true);
    assertThat(client.post("/pause?mode=keep", "").body()).isEqualTo("{\"status\":\"paused\"}");
    assertThat(client.get("/is_paused").body()).isEqualTo("{\"is_paused\":true}");
    CompletableFuture<HttpResponse<String>> held =
        CompletableFuture.supplyAsync(() -> client.post(CHAT, SHORT.formatted(2)));
    assertThat(client.get("/health").statusCode()).isEqualTo(200);
    assertThat(held).isNotDone();

    assertThat(client.post("/resume", "").body()).isEqualTo("{\"status\":\"resumed\"}");

    assertThat(held.join().statusCode()).isEqualTo(200);
  }

  @Test
  void sleepAbortsRunningRequestsAndShowsInTheMetrics() throws IOException {
    start(1, options -> options.devMode = true);
    try (Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");

      assertThat(client.post("/sleep?level=1", "").statusCode()).isEqualTo(200);

      assertThat(Client.readUntil(running, "0\r\n\r\n")).contains("\"finish_reason\":\"abort\"");
      assertThat(client.get("/is_sleeping").body()).isEqualTo("{\"is_sleeping\":true}");
      assertThat(client.get("/metrics").body())
          .containsPattern("engine_sleep_state\\{[^}]*sleep_state=\"weights_offloaded\"} 1.0");
      client.post("/wake_up", "");
      assertThat(client.get("/is_sleeping").body()).isEqualTo("{\"is_sleeping\":false}");
      assertThat(client.post("/sleep?level=7", "").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void adaptersCanBeLoadedAndUnloadedAtRuntime() throws IOException {
    start(50, options -> options.runtimeLora = true);
    String load = "{\"lora_name\":\"x\",\"lora_path\":\"/x\"}";

    assertThat(client.post("/v1/load_lora_adapter", load).body())
        .isEqualTo("Success: LoRA adapter 'x' added successfully.");
    assertThat(client.json("/v1/load_lora_adapter", load).at("/error/type").asText())
        .isEqualTo("InvalidUserInput");
    assertThat(client.json("/v1/completions", "{\"model\":\"x\",\"prompt\":\"a\"}").at("/model"))
        .hasToString("\"x\"");
    assertThat(client.get("/v1/models").body()).contains("\"id\":\"x\"");
    assertThat(client.post("/v1/unload_lora_adapter", "{\"lora_name\":\"x\"}").body())
        .isEqualTo("Success: LoRA adapter 'x' removed successfully.");
    assertThat(client.post("/v1/unload_lora_adapter", "{\"lora_name\":\"x\"}").statusCode())
        .isEqualTo(404);
    assertThat(client.post("/v1/load_lora_adapter", "{}").body())
        .contains("Both 'lora_name' and 'lora_path' must be provided.");
  }

  @Test
  void autoToolChoiceNeedsTheSwitchAndAToolNameInTheMessage() throws IOException {
    start(50, options -> options.autoToolChoice = true);
    String body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look_up\"}}]}";

    assertThat(
            client.json(CHAT, body.formatted("Please look_up it")).at("/choices/0/finish_reason"))
        .hasToString("\"tool_calls\"");
    assertThat(client.json(CHAT, body.formatted("Hello")).at("/choices/0/message/content").asText())
        .isNotBlank();
    engine.kill();
    start(50, options -> {});
    assertThat(client.post(CHAT, body.formatted("Hello")).body())
        .contains("requires --enable-auto-tool-choice and --tool-call-parser to be set");
  }

  @Test
  void aConstrainedAnswerCanBeContinuedAtAnyByte() throws IOException {
    start(50, options -> {});
    String body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}%s],\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":{\"type\":\"object\",\"properties\":{\"größe\":{\"type\":\"integer\"},\"name\":{\"type\":\"string\"}}}}}%s}";
    String whole =
        client.json(CHAT, body.formatted("", "")).at("/choices/0/message/content").asText();

    for (int cut = 1; cut < whole.length(); cut++) {
      String partial = Client.JSON.valueToTree(whole.substring(0, cut)).toString();
      JsonNode rest =
          client.json(
              CHAT,
              body.formatted(
                  ",{\"role\":\"assistant\",\"content\":" + partial + "}",
                  ",\"add_generation_prompt\":false,\"continue_final_message\":true"));
      assertThat(whole.substring(0, cut) + rest.at("/choices/0/message/content").asText())
          .isEqualTo(whole);
    }
  }

  @Test
  void drainingLetsRunningRequestsFinishAndAnswersNewOnesWithAbort() throws IOException {
    start(4, options -> options.shutdownTimeout = Patience.LONGEST);
    // Keeps the running request from ending before the new one has arrived.
    engine.faults().add(Fault.parse("engine-slow=10"));
    String long300 = ENDLESS.replace("\"stream\"", "\"max_tokens\":300,\"stream\"");
    try (Socket running = client.open(CHAT, long300)) {
      Client.readUntil(running, "\"content\":\"");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(engine::close);

      await()
          .until(
              () ->
                  client
                      .json(CHAT, SHORT.formatted(1))
                      .at("/choices/0/finish_reason")
                      .asText()
                      .equals("abort"));
      assertThat(client.get("/health").statusCode()).isEqualTo(200);

      assertThat(Client.readUntil(running, "0\r\n\r\n")).contains("\"finish_reason\":\"length\"");
      closing.join();
    }
  }

  @Test
  void aDeadEngineFailsAllRequestsAndThenItsServerEnds() throws IOException {
    start(1, options -> options.engineDeathPoll = Duration.ofSeconds(2));
    try (Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");

      engine.operations().die(Optional.empty());

      assertThat(Client.readUntil(running, "0\r\n\r\n"))
          .contains("data: {\"error\": {\"message\": \"EngineCore encountered an issue.")
          .contains("data: [DONE]\n\n");
      assertThat(engine.ended().join()).isEqualTo(SimulatedEngine.End.ENGINE_DEATH);
    }
  }

  @Test
  void aServerWithADeadEngineEndsSoonAfterARequest() throws IOException {
    start(1, options -> options.engineDeathPoll = Duration.ofHours(1));
    engine.operations().die(Optional.empty());

    assertThat(client.post(CHAT, SHORT.formatted(1)).statusCode()).isEqualTo(500);

    assertThat(engine.ended().orTimeout(30, TimeUnit.SECONDS).join())
        .isEqualTo(SimulatedEngine.End.ENGINE_DEATH);
  }

  @Test
  void aServerWhoseEngineDiesEndsSoonIfAWholeAnswerIsInFlight() throws IOException {
    start(1, options -> options.engineDeathPoll = Duration.ofHours(1));
    try (Socket whole = client.open(CHAT, ENDLESS.replace("true}", "false}"))) {
      await().until(() -> client.metric("vllm:num_requests_running") == 1);

      engine.operations().die(Optional.empty());

      assertThat(Client.readUntil(whole, "EngineCore")).startsWith("HTTP/1.1 500");
      assertThat(engine.ended().orTimeout(30, TimeUnit.SECONDS).join())
          .isEqualTo(SimulatedEngine.End.ENGINE_DEATH);
    }
  }

  @Test
  void sinceRelease32ATerminatedServerLeavesStreamsHangingUntilTheirClientsGo() throws IOException {
    // Given
    start(1, options -> {});
    CompletableFuture<SimulatedEngine.End> ended;
    try (Socket idle = new Socket("127.0.0.1", engine.port());
        Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");

      // When
      ended = engine.terminate();

      // Then
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThatThrownBy(() -> new Socket("127.0.0.1", engine.port()).close())
          .isInstanceOf(IOException.class);
      running.setSoTimeout(500);
      assertThatThrownBy(() -> Client.readUntil(running, "[DONE]"))
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(ended).isNotDone();
    }
    assertThat(ended.join()).isEqualTo(SimulatedEngine.End.STOPPED);
  }

  @Test
  void beforeRelease32ATerminatedServerEndsItsStreams() throws IOException {
    start("0.30.0", options -> {});
    try (Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");

      var ended = engine.terminate();

      assertThat(Client.readUntil(running, "0\r\n\r\n")).contains("\"finish_reason\":\"abort\"");
      assertThat(ended.join()).isEqualTo(SimulatedEngine.End.STOPPED);
    }
  }

  @Test
  void aDeadEngineWhoseServerIsKeptAliveKeepsAnswering500() throws IOException {
    start(
        1,
        options -> {
          options.keepAliveOnEngineDeath = true;
          options.engineDeathPoll = Duration.ZERO;
        });

    engine.operations().die(Optional.empty());

    assertThat(client.post(CHAT, SHORT.formatted(1)).statusCode()).isEqualTo(500);
    assertThat(client.get("/health").statusCode()).isEqualTo(503);
    assertThat(engine.ended()).isNotDone();
  }

  @Test
  void aBodyThatIsTooLargeGets413AndInvalidHttpGets400() throws IOException {
    start(50, options -> options.maxBodyBytes = 1000);

    assertThat(client.post(CHAT, " ".repeat(1001)).statusCode()).isEqualTo(413);
    try (Socket socket = new Socket("127.0.0.1", engine.port())) {
      socket.getOutputStream().write("EHLO you\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(Client.readUntil(socket, "never"))
          .startsWith("HTTP/1.1 400 Bad Request")
          .endsWith("Invalid HTTP request received.");
    }
  }

  @Test
  void aPriorityHeaderThatIsNotANumberIsIgnored() throws IOException {
    start(50, options -> {});

    assertThat(client.post(CHAT, SHORT.formatted(1), "X-Vllm-Priority", "-3").statusCode())
        .isEqualTo(200);
    assertThat(client.post(CHAT, SHORT.formatted(1), "X-Vllm-Priority", "high").statusCode())
        .isEqualTo(200);
  }

  @Test
  void loadCountsInFlightRequestsIfTracked() throws IOException {
    start(1, options -> options.loadTracking = true);
    try (Socket running = client.open(CHAT, ENDLESS)) {
      Client.readUntil(running, "\"content\":\"");
      assertThat(client.get("/load").body()).isEqualTo("{\"server_load\":1}");
    }
    await().until(() -> client.get("/load").body().equals("{\"server_load\":0}"));
  }

  @Test
  void invocationsAreServedByTheEndpointOfTheirShape() throws IOException {
    start(50, options -> options.loras = Map.of());

    assertThat(client.json("/invocations", SHORT.formatted(1)).at("/object").asText())
        .isEqualTo("chat.completion");
    assertThat(client.json("/invocations", "{\"prompt\":\"a\"}").at("/object").asText())
        .isEqualTo("text_completion");
    assertThat(client.post("/invocations", "{}").statusCode()).isEqualTo(400);
  }

  @Test
  void aPreflightRequestNeedsNoKey() throws IOException {
    start("0.30.0", options -> options.apiKeys = List.of("one"));

    HttpResponse<String> preflight =
        client.send(
            HttpRequest.newBuilder(client.uri(CHAT))
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .header("origin", "http://a.b")
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "authorization,content-type"));

    assertThat(preflight.statusCode()).isEqualTo(200);
    assertThat(preflight.headers().firstValue("access-control-allow-origin")).contains("*");
    assertThat(preflight.headers().firstValue("access-control-allow-methods").orElse(""))
        .contains("POST");
    assertThat(preflight.headers().firstValue("access-control-allow-headers"))
        .contains("authorization,content-type");
  }

  @Test
  void aWholeAnswerReportsTheLoadIfRequested() throws IOException {
    start(50, options -> {});

    assertThat(load("TEXT"))
        .contains(
            "TEXT named_metrics.kv_cache_usage_perc=0.0, named_metrics.num_requests_waiting=0.0");
    assertThat(load("json"))
        .contains(
            "JSON {\"named_metrics\": {\"kv_cache_usage_perc\": 0.0, \"num_requests_waiting\": 0.0}}");
    assertThat(load("BIN")).isEmpty();
    assertThat(client.post(CHAT, SHORT.formatted(1)).headers().firstValue("endpoint-load-metrics"))
        .isEmpty();
  }

  private Optional<String> load(String format) {
    return client
        .post(CHAT, SHORT.formatted(1), "endpoint-load-metrics-format", format)
        .headers()
        .firstValue("endpoint-load-metrics");
  }

  @Test
  void sinceRelease32NoPageMayReadAnswers() throws IOException {
    start(50, options -> {});

    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(client.uri("/version")).header("origin", "http://a.b"));

    assertThat(answer.headers().firstValue("access-control-allow-origin")).isEmpty();
    assertThat(answer.headers().firstValue("vary")).contains("Origin");
  }

  @Test
  void beforeRelease32PagesOfAnyOriginMayReadAnswers() throws IOException {
    start("0.30.0", options -> {});

    assertThat(
            client
                .send(HttpRequest.newBuilder(client.uri("/version")).header("origin", "http://a.b"))
                .headers()
                .firstValue("access-control-allow-origin"))
        .contains("*");
  }
}
