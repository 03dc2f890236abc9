package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.BadRequestException;
import com.anthropic.errors.NotFoundException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.ErrorType;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.anthropic.models.messages.ToolUseBlock;
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
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** Anthropic's client for Java uses the pool through the gateway. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayMessagesIT {
  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;
  private String url;
  private AnthropicClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    url = "http://127.0.0.1:" + pool.gatewayPort();
    client = AnthropicOkHttpClient.builder().baseUrl(url).apiKey("none").maxRetries(0).build();
  }

  @AfterAll
  void stop() {
    client.close();
    pool.close();
  }

  @Test
  void aMessageIsWhole() {
    // When
    Message message = client.messages().create(message().build()).validate();

    // Then
    assertThat(message.id()).startsWith("msg_");
    assertThat(message.model().asString()).isEqualTo(PoolPlan.MODEL);
    assertThat(text(message)).isNotBlank();
    assertThat(message.stopReason()).contains(StopReason.MAX_TOKENS);
    assertThat(message.usage().outputTokens()).isEqualTo(12);
    assertThat(message.usage().inputTokens() + message.usage().cacheReadInputTokens().orElseThrow())
        .isPositive();
  }

  @Test
  void aStreamIsTheSameMessage() {
    // When
    Message streamed = stream(message().build());

    // Then
    Message whole = client.messages().create(message().build());
    assertThat(text(streamed)).isEqualTo(text(whole));
    assertThat(streamed.stopReason()).isEqualTo(whole.stopReason());
    assertThat(streamed.usage().outputTokens()).isEqualTo(12);
    assertThat(streamed.usage().inputTokens()).isPositive();
  }

  @Test
  void aStopSequenceThatWasReachedIsNamed() {
    // Given
    String answer = text(client.messages().create(message().build()));
    String word = answer.strip().split(" ")[3];

    // When
    Message message = client.messages().create(message().addStopSequence(word).build());

    // Then
    assertThat(message.stopReason()).contains(StopReason.STOP_SEQUENCE);
    assertThat(message.stopSequence()).contains(word);
    assertThat(text(message)).doesNotContain(word);
  }

  @Test
  void aToolIsCalledInAMessageAndInAStream() {
    // Given
    MessageCreateParams params =
        message().maxTokens(200).addTool(weather()).toolToolChoice("get_weather").build();

    // When
    Message whole = client.messages().create(params).validate();
    Message streamed = stream(params);

    // Then
    assertThat(whole.stopReason()).contains(StopReason.TOOL_USE);
    assertThat(streamed.stopReason()).contains(StopReason.TOOL_USE);
    ToolUseBlock call = call(whole);
    assertThat(call.name()).isEqualTo("get_weather");
    assertThat(call._input().toString()).contains("city");
    assertThat(call(streamed)._input()).isEqualTo(call._input());
  }

  @Test
  void aConversationContinuesAfterACall() {
    // Given
    Message call =
        client
            .messages()
            .create(
                message().maxTokens(200).addTool(weather()).toolToolChoice("get_weather").build());

    // When
    Message answer =
        client
            .messages()
            .create(
                message()
                    .system("Answer briefly.")
                    .addTool(weather())
                    .addMessage(call)
                    .addUserMessageOfContentBlockParams(
                        List.of(
                            ContentBlockParam.ofToolResult(
                                ToolResultBlockParam.builder()
                                    .toolUseId(call(call).id())
                                    .content("Rain.")
                                    .build())))
                    .build());

    // Then
    assertThat(text(answer)).isNotBlank();
  }

  @Test
  void errorsHaveTheTypesOfTheClient() {
    // When
    NotFoundException unknown =
        catchThrowableOfType(
            NotFoundException.class,
            () -> client.messages().create(message().model("no/such-model").build()));
    BadRequestException tooLong =
        catchThrowableOfType(
            BadRequestException.class,
            () -> client.messages().create(message().maxTokens(100_000).build()));
    NotFoundException beforeAStream =
        catchThrowableOfType(
            NotFoundException.class,
            () -> client.messages().createStreaming(message().model("no/such-model").build()));

    // Then
    assertThat(unknown.errorType()).contains(ErrorType.NOT_FOUND_ERROR);
    assertThat(unknown).hasMessageContaining("no/such-model");
    assertThat(tooLong.errorType()).contains(ErrorType.INVALID_REQUEST_ERROR);
    assertThat(beforeAStream.errorType()).contains(ErrorType.NOT_FOUND_ERROR);
  }

  @Test
  void tokensAreCounted() {
    // When
    long few = client.messages().countTokens(count("Hello").build()).inputTokens();
    long many = client.messages().countTokens(count("Hello ".repeat(100)).build()).inputTokens();
    long tools =
        client.messages().countTokens(count("Hello").addTool(weather()).build()).inputTokens();

    // Then
    assertThat(few).isBetween(1L, 20L);
    assertThat(many).isGreaterThan(100L);
    assertThat(tools).isGreaterThan(few);
  }

  @Test
  void eventsAreNamedAndTheLastCommentTellsWhoAnswered() throws Exception {
    // When
    HttpResponse<String> response =
        post(
            "/v1/messages",
            """
            {"model":"sluice-8b","max_tokens":8,"stream":true,
             "messages":[{"role":"user","content":"Hello"}]}
            """);

    // Then
    List<String> events =
        response.body().lines().filter(line -> line.startsWith("event: ")).distinct().toList();
    assertThat(events)
        .containsExactly(
            "event: message_start",
            "event: content_block_start",
            "event: content_block_delta",
            "event: content_block_stop",
            "event: message_delta",
            "event: message_stop");
    assertThat(response.body())
        .contains(": worker=")
        .endsWith("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    assertThat(response.headers().firstValue("request-id")).isPresent();
  }

  @Test
  void errorsOfHttpHaveTheSameShape() throws Exception {
    // When
    HttpResponse<String> missing = post("/v1/messages", "{\"model\":\"sluice-8b\"}");
    HttpResponse<String> broken = post("/v1/messages", "{");
    HttpResponse<String> nowhere = post("/v1/messages/nothing", "{}");
    HttpResponse<String> wrongMethod = send(request("/v1/messages").GET());
    HttpResponse<String> wrongType =
        send(
            request("/v1/messages")
                .header("content-type", "text/csv")
                .POST(BodyPublishers.ofString("a;b")));
    HttpResponse<String> tooLarge = post("/v1/messages", " ".repeat(9 * 1024 * 1024));

    HttpResponse<String> refusedByAFilter =
        send(
            request("/v1/messages").header("x-sluice-tenant", "a b").POST(BodyPublishers.noBody()));

    // Then
    assertError(refusedByAFilter, 400, "invalid_request_error");
    assertError(missing, 400, "invalid_request_error");
    assertError(broken, 400, "invalid_request_error");
    assertError(nowhere, 404, "not_found_error");
    assertError(wrongMethod, 405, "invalid_request_error");
    assertError(wrongType, 415, "invalid_request_error");
    assertError(tooLarge, 413, "request_too_large");
  }

  private static void assertError(HttpResponse<String> response, int status, String type)
      throws Exception {
    assertThat(response.statusCode()).isEqualTo(status);
    JsonNode error = Json.mapper().readTree(response.body());
    assertThat(error.path("type").asText()).as(response.body()).isEqualTo("error");
    assertThat(error.at("/error/type").asText()).isEqualTo(type);
    assertThat(error.at("/error/message").asText()).isNotBlank();
    assertThat(response.headers().firstValue("request-id"))
        .contains(error.path("request_id").asText());
  }

  private Message stream(MessageCreateParams params) {
    MessageAccumulator accumulator = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> stream = client.messages().createStreaming(params)) {
      stream.stream().forEach(event -> accumulator.accumulate(event.validate()));
    }
    return accumulator.message();
  }

  private static MessageCreateParams.Builder message() {
    return MessageCreateParams.builder()
        .model(PoolPlan.MODEL)
        .addUserMessage("Why is the sky blue?")
        .maxTokens(12);
  }

  private static MessageCountTokensParams.Builder count(String text) {
    return MessageCountTokensParams.builder().model(PoolPlan.MODEL).addUserMessage(text);
  }

  private static Tool weather() {
    return Tool.builder()
        .name("get_weather")
        .description("The weather of a city")
        .inputSchema(
            Tool.InputSchema.builder()
                .properties(
                    Tool.InputSchema.Properties.builder()
                        .putAdditionalProperty("city", JsonValue.from(Map.of("type", "string")))
                        .build())
                .addRequired("city")
                .build())
        .build();
  }

  private static String text(Message message) {
    return message.content().getFirst().asText().text();
  }

  private static ToolUseBlock call(Message message) {
    return message.content().getFirst().asToolUse();
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return send(
        request(path)
            .header("content-type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .POST(BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path));
  }
}
