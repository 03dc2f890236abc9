package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gateway of a healthy pool, as seen by a client that speaks plain HTTP. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayIT {
  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
  }

  @AfterAll
  void stop() {
    pool.close();
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
  void aStreamOfAPlainCompletionHasNoUsageThatNobodyAskedFor() throws Exception {
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
    assertThat(unknown.body()).contains("\"code\":\"model_not_found\"");
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
    return http.send(
        request(path)
            .header("content-type", "application/json")
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
