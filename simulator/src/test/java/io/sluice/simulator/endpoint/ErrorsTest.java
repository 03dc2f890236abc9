package io.sluice.simulator.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorsTest {

  private static final String CHAT = "/v1/chat/completions";

  private static SimulatedEngine engine;
  private static Client client;

  @BeforeAll
  static void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withMaxModelLen(100)
                .withSpeed(50));
    client = new Client(engine);
  }

  @AfterAll
  static void stop() {
    engine.close();
  }

  @Test
  void anUnknownModelGets404InTheEnvelope() {
    HttpResponse<String> answer = client.post(CHAT, chat("\"model\":\"gpt-x\""));

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"The model `gpt-x` does not exist. Valid aliases: m.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}");
  }

  @Test
  void errorsForUnknownPathsAndMethodsHaveNoEnvelope() {
    assertThat(client.get("/v1/embeddings").statusCode()).isEqualTo(404);
    assertThat(client.get("/nowhere").body()).isEqualTo("{\"detail\":\"Not Found\"}");
    assertThat(client.get(CHAT).statusCode()).isEqualTo(405);
    assertThat(client.get(CHAT).headers().firstValue("allow")).contains("POST");
    assertThat(client.get(CHAT).body()).isEqualTo("{\"detail\":\"Method Not Allowed\"}");
  }

  @Test
  void aPromptThatDoesNotFitIsRejectedInTheWordsOfVllm() {
    HttpResponse<String> answer =
        client.post(
            "/v1/completions", "{\"prompt\":\"" + "one ".repeat(200) + "\",\"max_tokens\":10}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"This model's maximum context length is 100 tokens. However, your prompt contains at least 101 input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=101)\",\"type\":\"BadRequestError\",\"param\":\"input_tokens\",\"code\":400}}");
  }

  @Test
  void aPromptAsLongAsTheContextIsRejected() {
    String ids = "[1" + ",1".repeat(99) + "]";

    assertThat(client.post("/v1/completions", "{\"prompt\":" + ids + ",\"max_tokens\":1}").body())
        .contains("max_tokens must be at least 1, got 0.")
        .contains("\"param\":\"max_tokens\"");
  }

  @Test
  void outputBeyondTheContextIsTruncated() {
    String ids = "[1" + ",1".repeat(89) + "]";

    JsonNode answer =
        client.json(
            "/v1/completions", "{\"prompt\":" + ids + ",\"max_tokens\":50,\"ignore_eos\":true}");

    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(10);
    assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  void beforeRelease32PromptAndOutputMustFitTogether() throws IOException {
    // Given
    try (SimulatedEngine old =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withMaxModelLen(100)
                .withVersion("0.30.0"))) {
      // When
      HttpResponse<String> answer =
          new Client(old)
              .post(
                  "/v1/completions",
                  "{\"prompt\":\"" + "one ".repeat(200) + "\",\"max_tokens\":10}");

      // Then
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body())
          .contains(
              "However, you requested 10 output tokens and your prompt contains at least 91 input tokens, for a total of at least 101 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=91)");
    }
  }

  @Test
  void theErrorForABodyThatIsNotTextHasNoEnvelope() {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(client.uri(CHAT))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {0x1f, (byte) 0x8b, 8})));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo("{\"detail\":\"There was an error parsing the body\"}");
  }

  @Test
  void numbersAndFlagsMayBeStrings() {
    JsonNode answer =
        client.json(CHAT, chat("\"max_tokens\":\"2\",\"ignore_eos\":\"yes\",\"model\":\"\""));

    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(2);
  }

  @Test
  void aTrailingSlashIsRedirected() {
    HttpResponse<String> answer = client.post(CHAT + "/?a=b", "{}");

    assertThat(answer.statusCode()).isEqualTo(307);
    assertThat(answer.headers().firstValue("location").orElse("")).endsWith(CHAT + "?a=b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"messages\":[ | Bad Request | 1 validation error",
        "{} | Bad Request | 'missing', 'loc': 'body.messages', 'msg': 'Field required', 'input': '<dict of 0 items>'}",
        "{\"messages\":\"hi\"} | Bad Request | 1 validation error",
        "{\"messages\":[{\"content\":\"x\"}]} | Bad Request | 1 validation error",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"n\":\"two\"} | Bad Request | 1 validation error",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":0} | BadRequestError | max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":101} | BadRequestError | max_tokens=101 cannot be greater than max_model_len=100.",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"temperature\":-1} | BadRequestError | temperature must be non-negative",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"n\":2,\"temperature\":0} | BadRequestError | n must be 1 when using greedy sampling, got 2.",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"stream_options\":{\"include_usage\":true}} | BadRequestError | Stream options can only be defined when `stream=True`.",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"continue_final_message\":true} | BadRequestError | continue_final_message and add_generation_prompt are not compatible."
      })
  void errorsForBadRequestsSayWhatIsWrong(String body, String type, String message) {
    HttpResponse<String> answer = client.post(CHAT, body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(Client.parse(answer.body()).at("/error/type").asText()).isEqualTo(type);
    assertThat(Client.parse(answer.body()).at("/error/message").asText()).contains(message);
  }

  @Test
  void aWrongContentTypeIsAValidationError() {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(client.uri(CHAT))
                .header("content-type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{}")));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains(
            "1 validation error:\\n  Unsupported Media Type: Only 'application/json' is allowed");
  }

  @Test
  void tokenIdsOutsideTheVocabularyAreRejected() {
    assertThat(client.post("/v1/completions", "{\"prompt\":[1,100277]}").body())
        .contains("Token id 100277 is out of vocabulary");
  }

  @Test
  void aFaultCanSetTheStatus() {
    HttpResponse<String> answer =
        client.post(CHAT, chat("\"stream\":true"), "x-sim-fault", "status=503");

    assertThat(answer.statusCode()).isEqualTo(503);
  }

  @Test
  void aStreamCanFailAfterSomeTokens() {
    String stream =
        client
            .post(CHAT, chat("\"stream\":true,\"max_tokens\":20"), "x-sim-fault", "error-after=3")
            .body();

    assertThat(stream)
        .endsWith(
            "data: {\"error\": {\"message\": \"EngineCore encountered an issue. See stack trace (above) for the root cause.\", \"type\": \"InternalServerError\", \"param\": null, \"code\": 500}}\n\ndata: [DONE]\n\n");
    assertThat(
            client
                .post(CHAT, chat("\"max_tokens\":20"), "x-sim-fault", "error-after=3")
                .statusCode())
        .isEqualTo(500);
  }

  @Test
  void aStreamCanBeCutAfterSomeTokens() {
    assertThatThrownBy(
            () ->
                client.post(
                    CHAT, chat("\"stream\":true,\"max_tokens\":20"), "x-sim-fault", "cut-after=3"))
        .hasCauseInstanceOf(IOException.class)
        .hasRootCauseInstanceOf(java.io.EOFException.class);
  }

  @Test
  void anUnknownFaultIsRejectedWithTheKnownOnes() {
    assertThat(client.post(CHAT, chat("\"stream\":true"), "x-sim-fault", "explode").body())
        .contains("cut-after=N");
  }

  private static String chat(String more) {
    return "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]," + more + "}";
  }
}
