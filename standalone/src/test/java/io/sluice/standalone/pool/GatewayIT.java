package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway of a healthy pool, as seen by a client that speaks plain HTTP. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayIT {
  private static final String CHATS = "/v1/chat/completions";

  /** Served by an engine that has an adapter, and whose requests are recorded. */
  private static final String RECORDED = "recorded";

  /** Another name of its base model. */
  private static final String SECOND_NAME = "recorded-too";

  private static final String ADAPTER = "recorded-adapter";

  /** The pool is there to serve it, but no worker does: its fallback answers. */
  private static final String AWAY = "away";

  private static final ServerOptions WITH_TOOLS_AND_ADAPTER =
      ServerOptions.with(
          options -> {
            options.autoToolChoice = true;
            options.loras = Map.of(ADAPTER, "/adapters/one");
          });

  private final HttpClient http = HttpClient.newHttpClient();
  private SimulatedEngine engine;
  private RecordingProxy recorded;
  private LocalPool pool;

  @BeforeAll
  void start(Backends backends) throws Exception {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100_FP8)
                .withServer(WITH_TOOLS_AND_ADAPTER)
                .withModels(List.of(RECORDED, SECOND_NAME))
                .withMaxModelLen(2_048));
    recorded = new RecordingProxy(engine.uri());
    PoolPlan plan = Pools.plan(backends, 3);
    List<WorkerPlan> workers = new ArrayList<>(plan.workers());
    workers.add(new WorkerPlan("recorded", Optional.of("fast"), Pools.warm(recorded.uri()), 4));
    pool =
        LocalPool.start(
            new PoolPlan(
                plan.ports(),
                plan.kafka(),
                plan.redis(),
                plan.access(),
                plan.gatewayVariables(),
                plan.dataDirectory(),
                plan.exposure(),
                plan.partitions(),
                plan.models() + ",%s=2048,%s=2048,%s=4096".formatted(RECORDED, ADAPTER, AWAY),
                plan.fallbacks() + "," + AWAY + "=" + PoolPlan.FALLBACK_MODEL,
                workers));
  }

  @AfterAll
  void stop() {
    pool.close();
    recorded.close();
    engine.close();
  }

  @Test
  void aWholeAnswerTellsWhoServedIt() throws Exception {
    // When
    HttpResponse<String> response = post("/v1/chat/completions", chat(8, false));

    // Then
    assertThat(response.statusCode()).isEqualTo(200);
    JsonNode answer = Json.mapper().readTree(response.body());
    assertThat(answer.path("object").asText()).isEqualTo("chat.completion");
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(8);
    assertThat(answer.at("/choices/0/message/content").asText()).isNotBlank();
    assertThat(answer.has("error")).isFalse();
    assertThat(response.headers().firstValue("x-request-id")).isPresent();
    assertThat(response.headers().firstValue("x-sluice-worker")).isPresent();
    assertThat(response.headers().firstValue("x-sluice-attempts")).contains("1");
    assertThat(response.headers().firstValueAsLong("openai-processing-ms")).isPresent();
  }

  @Test
  void theHeadersOfAWholeAnswerTellItsWorkerTierAndModel() throws Exception {
    // When
    HttpResponse<String> response = post(CHATS, chat(8, false), "x-sluice-tier", "balanced");

    // Then
    assertThat(served(response))
        .containsEntry("worker", "balanced")
        .containsEntry("tier", "balanced")
        .containsEntry("model", PoolPlan.MODEL)
        .containsEntry("fallback", "false")
        .containsOnlyKeys("worker", "tier", "model", "attempts", "fallback");
  }

  @Test
  void theLastCommentOfAStreamTellsItsWorkerTierAndModel() throws Exception {
    // When
    HttpResponse<String> response = post(CHATS, chat(8, true), "x-sluice-tier", "balanced");

    // Then
    assertThat(lastComment(response))
        .matches("worker=balanced tier=balanced model=sluice-8b attempts=[1-9] fallback=false");
    assertThat(served(response)).isEmpty();
  }

  /** The worker of the fallback model has no tier. */
  @Test
  void anAnswerOfTheFallbackModelSaysSo() throws Exception {
    // When
    HttpResponse<String> whole = post(CHATS, chat(8, false).replace(PoolPlan.MODEL, AWAY));
    HttpResponse<String> stream = post(CHATS, chat(8, true).replace(PoolPlan.MODEL, AWAY));

    // Then
    assertThat(served(whole))
        .containsEntry("worker", "fallback")
        .containsEntry("model", PoolPlan.FALLBACK_MODEL)
        .containsEntry("fallback", "true")
        .containsOnlyKeys("worker", "model", "attempts", "fallback");
    assertThat(Json.mapper().readTree(whole.body()).path("model").asText())
        .isEqualTo(PoolPlan.FALLBACK_MODEL);
    assertThat(lastComment(stream))
        .matches("worker=fallback model=sluice-mini attempts=[1-9] fallback=true");
  }

  /** Returns the comment before the end of a stream. */
  private static String lastComment(HttpResponse<String> stream) {
    String end = "\n\ndata: [DONE]\n\n";
    assertThat(stream.body()).endsWith(end);
    String before = stream.body().substring(0, stream.body().length() - end.length());
    return before.substring(before.lastIndexOf("\n: ") + "\n: ".length());
  }

  private static Map<String, String> served(HttpResponse<String> response) {
    Map<String, String> facts = new TreeMap<>();
    response
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (name.startsWith("x-sluice-")) {
                facts.put(name.substring("x-sluice-".length()), values.getFirst());
              }
            });
    return facts;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theEngineGetsASchemaAsItWasSent(boolean streamed) throws Exception {
    // Given
    String format =
        """
        {"type":"json_schema","json_schema":{"name":"city","strict":true,"schema":{"type":"object",\
        "properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}""";

    // When
    Map<Integer, String> choices = choices("\"response_format\":" + format, streamed, "content");

    // Then
    assertThat(recorded.lastChat().path("response_format"))
        .isEqualTo(Json.mapper().readTree(format));
    assertThat(Json.mapper().readTree(choices.get(0)).path("city").isTextual()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theEngineGetsToolsAsTheyWereSent(boolean streamed) throws Exception {
    // Given
    String tools =
        """
        [{"type":"function","function":{"name":"weather","description":"Tells the weather.",\
        "parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]""";

    // When
    Map<Integer, String> choices =
        choices(
            "\"tools\":" + tools + ",\"tool_choice\":\"required\"",
            streamed,
            "tool_calls/0/function/arguments");

    // Then
    assertThat(recorded.lastChat().path("tools")).isEqualTo(Json.mapper().readTree(tools));
    assertThat(recorded.lastChat().path("tool_choice").asText()).isEqualTo("required");
    assertThat(Json.mapper().readTree(choices.get(0)).path("city").isTextual()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothChoicesOfARequestForTwoCome(boolean streamed) throws Exception {
    // When
    Map<Integer, String> choices = choices("\"n\":2", streamed, "content");

    // Then
    assertThat(recorded.lastChat().path("n").asInt()).isEqualTo(2);
    assertThat(choices).containsOnlyKeys(0, 1);
    assertThat(choices.values()).doesNotContain("");
  }

  /** Sends a chat to the recorded engine, and returns the whole of a text in each choice. */
  private Map<Integer, String> choices(String fields, boolean streamed, String text)
      throws Exception {
    String body =
        chat(40, streamed).replace(PoolPlan.MODEL, RECORDED).replace("}]", "}]," + fields);
    HttpResponse<String> response = post(CHATS, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    List<String> answers =
        streamed
            ? data(response).stream().filter(data -> !data.equals("[DONE]")).toList()
            : List.of(response.body());
    Map<Integer, String> choices = new TreeMap<>();
    for (String answer : answers) {
      for (JsonNode choice : Json.mapper().readTree(answer).path("choices")) {
        String part = choice.path(streamed ? "delta" : "message").at("/" + text).asText("");
        choices.merge(choice.path("index").asInt(), part, String::concat);
      }
    }
    return choices;
  }

  @Test
  void aStreamEndsWithItsUsageAndDone() throws Exception {
    // When
    HttpResponse<String> response =
        post(
            "/v1/chat/completions",
            chat(40, true).replace("}]", "}],\"stream_options\":{\"include_usage\":true}"));

    // Then
    assertThat(response.headers().firstValue("content-type").orElseThrow())
        .startsWith("text/event-stream");
    List<String> data = data(response);
    assertThat(data.getLast()).isEqualTo("[DONE]");
    JsonNode usage = Json.mapper().readTree(data.get(data.size() - 2));
    assertThat(usage.path("choices")).isEmpty();
    assertThat(usage.at("/usage/completion_tokens").asInt()).isEqualTo(40);
    JsonNode closing = Json.mapper().readTree(data.get(data.size() - 3));
    assertThat(closing.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(closing.has("usage")).isFalse();
    assertThat(response.body()).contains(": worker=").doesNotContain("\"error\"");
  }

  @Test
  void aStreamOfAPlainCompletionHasNoUsageUnlessRequested() throws Exception {
    // When
    HttpResponse<String> response =
        post(
            "/v1/completions",
            "{\"model\":\"sluice-8b\",\"prompt\":\"Hello\",\"max_tokens\":4,\"stream\":true}");

    // Then
    assertThat(data(response).getLast()).isEqualTo("[DONE]");
    assertThat(response.body()).contains("text_completion").doesNotContain("usage");
  }

  @Test
  void aRequestWhoseFirstTokenCannotComeInTimeIsRefusedAtOnce() throws Exception {
    // Given a pool that serves, and so knows how fast it is
    assertThat(post("/v1/chat/completions", chat(8, false)).statusCode()).isEqualTo(200);

    // When
    HttpResponse<String> response =
        post(
            "/v1/chat/completions",
            chat(8, true).replace("}]", "}],\"metadata\":{\"sluice_slo_ttft_ms\":\"1\"}"));

    // Then
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.body()).contains("slo-ttft-ms");
    assertThat(response.headers().firstValue("retry-after")).isPresent();
  }

  @Test
  void anErrorBeforeTheFirstTokenIsAStatus() throws Exception {
    // When
    HttpResponse<String> response =
        post("/v1/chat/completions", "{\"model\":\"sluice-8b\",\"messages\":[],\"stream\":true}");

    // Then
    assertThat(response.statusCode()).isEqualTo(400);
    JsonNode error = Json.mapper().readTree(response.body()).path("error");
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.path("message").asText()).isNotBlank();
  }

  @Test
  void theModelsOfThePoolAreListed() throws Exception {
    // When
    HttpResponse<String> list = get("/v1/models");

    // Then
    assertThat(list.body()).contains("\"sluice-8b\"", "\"max_model_len\":32768");
    assertThat(get("/v1/models/sluice-mini").statusCode()).isEqualTo(200);
    HttpResponse<String> unknown = get("/v1/models/org/none");
    assertThat(unknown.statusCode()).isEqualTo(404);
    JsonNode error = Json.mapper().readTree(unknown.body()).path("error");
    assertThat(error.path("code").asText()).isEqualTo("model_not_found");
    assertThat(error.path("param").asText()).isEqualTo("model");
    assertThat(error.path("message").asText()).isEqualTo("the pool serves no model 'org/none'");
  }

  @Test
  void anAdapterIsAModelThatNamesItsBase() throws Exception {
    // When
    JsonNode adapter = model(ADAPTER);

    // Then
    assertThat(adapter.path("id").asText()).isEqualTo(ADAPTER);
    assertThat(adapter.path("object").asText()).isEqualTo("model");
    assertThat(adapter.path("owned_by").asText()).isEqualTo("vllm");
    assertThat(adapter.path("root").asText()).isEqualTo("/adapters/one");
    assertThat(adapter.path("parent").asText()).isEqualTo(RECORDED);
    assertThat(adapter.path("max_model_len").asInt()).isEqualTo(2_048);
    assertThat(adapter.path("created").asLong()).isPositive();
    JsonNode list = Json.mapper().readTree(get("/v1/models").body()).path("data");
    assertThat(list).contains(adapter);
    assertThat(list.findValuesAsText("id"))
        .containsExactly(RECORDED, ADAPTER, SECOND_NAME, PoolPlan.MODEL, PoolPlan.FALLBACK_MODEL);
    assertThat(list.findValuesAsText("owned_by")).containsOnly("vllm");
    assertThat(model(RECORDED).path("parent").isNull()).isTrue();
    HttpResponse<String> answer = post(CHATS, chat(4, false).replace(PoolPlan.MODEL, ADAPTER));
    assertThat(answer.headers().firstValue("x-sluice-model")).contains(ADAPTER);
  }

  @Test
  void aModelIsListedAsItsEngineListsIt() throws Exception {
    // Given
    JsonNode engines =
        Json.mapper()
            .readTree(
                http.send(
                        HttpRequest.newBuilder(engine.uri().resolve("/v1/models")).build(),
                        BodyHandlers.ofString())
                    .body())
            .path("data");

    for (JsonNode listed : engines) {
      // When
      JsonNode model = model(listed.path("id").asText());

      // Then
      for (String field : List.of("id", "object", "owned_by", "root", "parent")) {
        assertThat(model.get(field)).as(field).isEqualTo(listed.get(field));
      }
      assertThat(model.path("max_model_len").asInt()).isEqualTo(2_048);
      assertThat(model.path("created").asLong())
          .isPositive()
          .isLessThanOrEqualTo(listed.path("created").asLong());
    }
    assertThat(engines)
        .extracting(listed -> listed.path("id").asText())
        .containsExactly(RECORDED, SECOND_NAME, ADAPTER);
  }

  private JsonNode model(String id) throws Exception {
    return Json.mapper().readTree(get("/v1/models/" + id).body());
  }

  @Test
  void whatIsNotThereIsAnErrorInTheFormatOfOpenAi() throws Exception {
    // When
    HttpResponse<String> response = get("/v1/nothing");

    // Then
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"there is no GET /v1/nothing\","
                + "\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"not_found\"}}");
  }

  @Test
  void endpointsOfEnginesThatThePoolDoesNotServeAreSaidNotToBeThere() throws Exception {
    for (String path :
        List.of("/v1/embeddings", "/v1/rerank", "/v1/score", "/tokenize", "/detokenize")) {
      // When
      HttpResponse<String> response = post(path, "{\"model\":\"sluice-8b\",\"input\":\"a\"}");

      // Then
      assertThat(response.statusCode()).as(path).isEqualTo(404);
      assertThat(response.body())
          .contains("there is no POST " + path, "\"type\":\"invalid_request_error\"");
    }
  }

  private static String chat(int tokens, boolean stream) {
    return """
        {"model":"sluice-8b","max_tokens":%d,"stream":%b,"messages":[{"role":"user","content":"Hello"}]}
        """
        .formatted(tokens, stream);
  }

  private static List<String> data(HttpResponse<String> response) {
    return response
        .body()
        .lines()
        .filter(line -> line.startsWith("data: "))
        .map(line -> line.substring("data: ".length()))
        .toList();
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return post(path, body, "content-type", "application/json");
  }

  private HttpResponse<String> post(String path, String body, String header, String value)
      throws Exception {
    return http.send(
        request(path)
            .setHeader("content-type", "application/json")
            .setHeader(header, value)
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pool.gatewayPort() + path));
  }
}
