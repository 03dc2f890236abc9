package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.RateLimitException;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFormatTextJsonSchemaConfig;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseRetrieveParams;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import com.openai.models.responses.ResponseTextConfig;
import com.openai.models.responses.ToolChoiceFunction;
import com.openai.models.responses.inputitems.InputItemListParams;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.ResponseId;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** OpenAI's own client against the Responses API of two gateways of one pool. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayResponsesIT {
  private static final String MODEL = "sluice-8b";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;
  private Gateway second;
  private OpenAIClient client;
  private OpenAIClient other;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    second = Pools.gateway(pool);
    client = client(pool.gatewayPort());
    other = client(second.port());
  }

  @AfterAll
  void stop() {
    client.close();
    other.close();
    second.close();
    pool.close();
  }

  @Test
  void aWholeResponseIsTheSameForAnotherGateway() {
    // When
    Response response = client.responses().create(hello().build());

    // Then
    assertThat(response.validate().status()).contains(ResponseStatus.COMPLETED);
    assertThat(textOf(response)).isNotBlank();
    assertThat(response.usage().orElseThrow().outputTokens()).isPositive();
    assertThat(response.id()).startsWith("resp_");
    assertThat(other.responses().retrieve(response.id())).isEqualTo(response);
  }

  @Test
  void aStreamAddsUpToTheResponse() {
    // Given
    ResponseAccumulator accumulator = ResponseAccumulator.create();

    // When
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(hello().build())) {
      stream.stream().map(ResponseStreamEvent::validate).forEach(accumulator::accumulate);
    }

    // Then
    Response response = accumulator.response();
    assertThat(response.status()).contains(ResponseStatus.COMPLETED);
    assertThat(textOf(response)).isNotBlank();
    assertThat(other.responses().retrieve(response.id())).isEqualTo(response);
  }

  @Test
  void allGatewaysStreamTheSameBytesFromAnyPlace() throws Exception {
    // Given a background response that has ended
    Response created = client.responses().create(hello().background(true).build());
    assertThat(created.status()).contains(ResponseStatus.QUEUED);
    ended(other, created.id());

    // When
    String first = events(pool.gatewayPort(), created.id(), "");
    String again = events(second.port(), created.id(), "");
    String rest = events(second.port(), created.id(), "&starting_after=3");

    // Then
    assertThat(again).isEqualTo(first).contains("event: response.completed\n");
    assertThat(first).endsWith(rest).startsWith("event: response.created\n");
    assertThat(rest).startsWith("event: ").contains("\"sequence_number\":4");
    assertThat(rest).doesNotContain("\"sequence_number\":3,");
  }

  @Test
  void aNumberThatTheResponseDoesNotHaveIsRefused() throws Exception {
    // Given a response that has ended
    Response created = client.responses().create(hello().background(true).build());
    ended(other, created.id());
    String all = events(pool.gatewayPort(), created.id(), "");
    long last = all.lines().filter(line -> line.startsWith("event: ")).count() - 1;

    // Then its last number is one that a client may have
    assertThat(events(second.port(), created.id(), "&starting_after=" + last)).isEmpty();
    for (String wrong : List.of(Long.toString(last + 1), "2000000000", "-2", "x", "1.5")) {
      var refused =
          http.send(
              HttpRequest.newBuilder(
                      responses(
                          second.port(),
                          "/" + created.id() + "?stream=true&starting_after=" + wrong))
                  .build(),
              BodyHandlers.ofString());
      assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
      assertThat(refused.body()).as(wrong).contains("starting_after");
    }
    // And what obfuscates the lengths of events for others is accepted
    assertThat(events(second.port(), created.id(), "&include_obfuscation=true")).isEqualTo(all);
  }

  @Test
  void aStreamThatWasReadLiveIsTheSameWhenItIsReadAgain() throws Exception {
    // When
    String live = created(true).body();

    // Then: but for the comment that tells who served it
    String id = Json.mapper().readTree(dataOfFirst(live)).at("/response/id").asText();
    assertThat(events(second.port(), id, "")).isEqualTo(live.replaceFirst(": worker=.*\n\n", ""));
  }

  @Test
  void aResponseTellsWhoServedIt() throws Exception {
    // When
    HttpResponse<String> whole = created(false);
    HttpResponse<String> stream = created(true);

    // Then
    assertThat(whole.headers().firstValue("x-sluice-worker")).isPresent();
    assertThat(whole.headers().firstValue("x-sluice-attempts")).contains("1");
    assertThat(stream.body())
        .containsPattern(": worker=.* attempts=1 fallback=false\n\nevent: response.*done\n");

    // When it is read again
    String id = Json.tree(whole.body().getBytes(StandardCharsets.UTF_8)).path("id").asText();
    HttpResponse<String> read = stored(id);

    // Then
    assertThat(read.headers().firstValue("x-sluice-worker"))
        .isEqualTo(whole.headers().firstValue("x-sluice-worker"))
        .isPresent();
    assertThat(read.headers().firstValue("x-sluice-attempts")).contains("1");
    assertThat(read.headers().firstValue("x-request-id"))
        .isEqualTo(whole.headers().firstValue("x-request-id"));
  }

  private HttpResponse<String> stored(String id) throws Exception {
    return http.send(
        HttpRequest.newBuilder(responses(pool.gatewayPort(), "/" + id)).build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> created(boolean isStreamed) throws Exception {
    String body =
        "{\"model\":\"sluice-8b\",\"input\":\"Hello\",\"stream\":%b}".formatted(isStreamed);
    return http.send(
        HttpRequest.newBuilder(responses(pool.gatewayPort(), ""))
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void aResponseWhoseClientLeavesIsCancelled() throws Exception {
    // Given
    ResponseCreateParams params = hello().maxOutputTokens(4_000).build();
    String id;

    // When
    OpenAIClient leaving = client(pool.gatewayPort());
    try (StreamResponse<ResponseStreamEvent> stream = leaving.responses().createStreaming(params)) {
      id =
          stream.stream()
              .filter(ResponseStreamEvent::isCreated)
              .findFirst()
              .orElseThrow()
              .asCreated()
              .response()
              .id();
    }
    leaving.close();

    // Then
    await()
        .atMost(PATIENCE)
        .until(
            () -> other.responses().retrieve(id).status(),
            status -> status.equals(Optional.of(ResponseStatus.CANCELLED)));
  }

  @Test
  void aStreamContinuesAtAnotherGateway() {
    // Given a client that stops reading
    String id;
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(hello().background(true).build())) {
      id =
          stream.stream()
              .filter(ResponseStreamEvent::isCreated)
              .findFirst()
              .orElseThrow()
              .asCreated()
              .response()
              .id();
    }

    // When
    List<ResponseStreamEvent> events;
    try (StreamResponse<ResponseStreamEvent> stream =
        other
            .responses()
            .retrieveStreaming(id, ResponseRetrieveParams.builder().startingAfter(1).build())) {
      events = stream.stream().toList();
    }

    // Then
    assertThat(events.getFirst().isInProgress()).isTrue();
    Response response = events.getLast().asCompleted().response();
    assertThat(response).isEqualTo(client.responses().retrieve(id));
  }

  @Test
  void aRunningResponseIsCancelledOnce() {
    // Given
    Response created =
        client.responses().create(hello().maxOutputTokens(4_000).background(true).build());

    // Then
    assertThatThrownBy(
            () -> other.responses().create(hello().previousResponseId(created.id()).build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("has not ended");

    // When
    Response cancelled = other.responses().cancel(created.id());

    // Then
    assertThat(cancelled.status()).contains(ResponseStatus.CANCELLED);
    assertThat(client.responses().cancel(created.id())).isEqualTo(cancelled);
  }

  @Test
  void onlyABackgroundResponseIsCancelled() {
    Response response = client.responses().create(hello().build());

    assertThatThrownBy(() -> client.responses().cancel(response.id()))
        .isInstanceOf(BadRequestException.class);
  }

  @Test
  void aDeletedResponseIsGoneEverywhere() {
    // Given
    Response response = client.responses().create(hello().build());
    assertThat(other.responses().retrieve(response.id()).id()).isEqualTo(response.id());

    // When
    client.responses().delete(response.id());

    // Then
    assertThatThrownBy(() -> client.responses().retrieve(response.id()))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> other.responses().retrieve(response.id()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void theKeyOfADeletedResponseCreatesAnotherOneAtOnce() {
    // Given
    Response first = client.responses().create(keyed("once"));
    assertThat(client.responses().create(keyed("once")).id()).isEqualTo(first.id());
    client.responses().delete(first.id());
    long beforeNanos = System.nanoTime();

    // When
    Response second = client.responses().create(keyed("once"));

    // Then a try whose response may still be stored would wait for 40 s
    assertThat(second.id()).isNotEqualTo(first.id());
    assertThat(Duration.ofNanos(System.nanoTime() - beforeNanos))
        .isLessThan(Duration.ofSeconds(20));
    assertThat(client.responses().create(keyed("once")).id()).isEqualTo(second.id());
  }

  private static ResponseCreateParams keyed(String key) {
    return hello().putAdditionalHeader("Idempotency-Key", key).build();
  }

  @Test
  void onlyARunningResponseIsCancelledWhenItIsDeleted() {
    // Given
    Response ended = client.responses().create(hello().build());
    Response running =
        client.responses().create(hello().maxOutputTokens(4_000).background(true).build());

    // When
    other.responses().delete(ended.id());
    other.responses().delete(running.id());

    // Then
    assertThat(Cancellations.exists(requestId(ended.id()), pool)).isFalse();
    assertThat(Cancellations.exists(requestId(running.id()), pool)).isTrue();
  }

  @Test
  void theInputIsListed() {
    // Given
    Response response = client.responses().create(hello().build());

    // When
    var page =
        other
            .responses()
            .inputItems()
            .list(response.id(), InputItemListParams.builder().limit(5L).build());

    // Then
    assertThat(page.data()).hasSize(1);
  }

  @Test
  void aConversationContinuesAtAnotherGateway() {
    // Given
    Response first = client.responses().create(hello().instructions("Be short.").build());

    // When
    Response next = other.responses().create(hello().previousResponseId(first.id()).build());

    // Then
    assertThat(next.previousResponseId()).contains(first.id());
    assertThat(next.usage().orElseThrow().inputTokens())
        .isGreaterThan(first.usage().orElseThrow().outputTokens());
    assertThatThrownBy(
            () -> client.responses().create(hello().previousResponseId("resp_none").build()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aResponseThatIsNotStoredDoesNotExistLater() {
    Response response = client.responses().create(hello().store(false).build());

    assertThatThrownBy(() -> client.responses().retrieve(response.id()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aFunctionIsCalledAndItsOutputIsTaken() {
    // When
    ResponseCreateParams.Builder params =
        hello()
            .maxOutputTokens(400)
            .addTool(
                FunctionTool.builder()
                    .name("weather")
                    .strict(false)
                    .parameters(
                        FunctionTool.Parameters.builder()
                            .putAdditionalProperty("type", JsonValue.from("object"))
                            .putAdditionalProperty(
                                "properties",
                                JsonValue.from(Map.of("city", Map.of("type", "string"))))
                            .putAdditionalProperty("required", JsonValue.from(List.of("city")))
                            .build())
                    .build())
            .toolChoice(ToolChoiceFunction.builder().name("weather").build());
    Response response = client.responses().create(params.build());

    // Then
    ResponseFunctionToolCall call =
        response.output().stream()
            .flatMap(item -> item.functionCall().stream())
            .findFirst()
            .orElseThrow();
    assertThat(call.name()).isEqualTo("weather");
    assertThat(call.arguments()).contains("city");

    // When
    Response next =
        other
            .responses()
            .create(
                ResponseCreateParams.builder()
                    .model(MODEL)
                    .maxOutputTokens(20)
                    .previousResponseId(response.id())
                    .inputOfResponse(
                        List.of(
                            ResponseInputItem.ofFunctionCallOutput(
                                ResponseInputItem.FunctionCallOutput.builder()
                                    .callId(call.callId())
                                    .output("rain")
                                    .build())))
                    .build());

    // Then
    assertThat(next.error()).isEmpty();
    assertThat(textOf(next)).isNotBlank();
  }

  @Test
  void aSchemaIsFollowed() throws Exception {
    // When
    Response response =
        client
            .responses()
            .create(
                hello()
                    .maxOutputTokens(400)
                    .text(
                        ResponseTextConfig.builder()
                            .format(
                                ResponseFormatTextJsonSchemaConfig.builder()
                                    .name("answer")
                                    .schema(
                                        ResponseFormatTextJsonSchemaConfig.Schema.builder()
                                            .putAdditionalProperty("type", JsonValue.from("object"))
                                            .putAdditionalProperty(
                                                "properties",
                                                JsonValue.from(
                                                    Map.of("ok", Map.of("type", "boolean"))))
                                            .putAdditionalProperty(
                                                "required", JsonValue.from(List.of("ok")))
                                            .build())
                                    .build())
                            .build())
                    .build());

    // Then
    assertThat(Json.mapper().readTree(textOf(response)).path("ok").isBoolean()).isTrue();
  }

  @Test
  void aResponseWhoseGatewayDiedBeforeThePoolWasAskedIsMadeAllTheSame() {
    // Given a record without a request
    Instant now = Instant.now();
    CreatedResponse created = Unsent.response(now.minusSeconds(30), 330);
    Unsent.store(created, pool);

    // When
    Response response = ended(client, created.id());

    // Then
    assertThat(textOf(response)).isNotBlank();
    assertThat(other.responses().retrieve(created.id())).isEqualTo(response);
  }

  @Test
  void aStreamOfAResponseThatNeverGotAReplyEndsAsFailed() throws Exception {
    // Given one whose deadline has long passed
    CreatedResponse created = Unsent.response(Instant.now().minusSeconds(600), 60);
    Unsent.store(created, pool);

    // When
    String events = events(second.port(), created.id(), "");

    // Then
    assertThat(events)
        .startsWith("event: response.created\n")
        .contains("event: response.failed\n")
        .doesNotContain("event: error\n");
    assertThat(other.responses().retrieve(created.id()).status()).contains(ResponseStatus.FAILED);
  }

  @Test
  void aResponseThatIsRefusedIsNotStored() throws Exception {
    // Given a gateway whose only place is taken
    Gateway full = Pools.gateway(pool, Map.of("max-concurrent", "1", "drain-grace-millis", "0"));
    OpenAIClient busy = client(full.port());
    try (full;
        StreamResponse<ResponseStreamEvent> running =
            busy.responses().createStreaming(hello().maxOutputTokens(4_000).build())) {
      assertThat(running.stream().findFirst()).isPresent();
      long before = Unsent.stored(pool);

      // When
      assertThatThrownBy(() -> busy.responses().create(hello().build()))
          .isInstanceOf(RateLimitException.class);

      // Then
      assertThat(Unsent.stored(pool)).isEqualTo(before);
    } finally {
      busy.close();
    }
  }

  @Test
  void anAnswerThatIsCutShortSaysWhy() {
    Response response = client.responses().create(hello().maxOutputTokens(1).build());

    assertThat(response.status()).contains(ResponseStatus.INCOMPLETE);
    assertThat(response.incompleteDetails().orElseThrow().reason().orElseThrow().asString())
        .isEqualTo("max_output_tokens");
  }

  @Test
  void whatThePoolHasNotIsRefused() {
    assertThatThrownBy(
            () ->
                client
                    .responses()
                    .create(
                        hello()
                            .putAdditionalBodyProperty(
                                "tools", JsonValue.from(List.of(Map.of("type", "web_search"))))
                            .build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("web_search");
  }

  private static ResponseCreateParams.Builder hello() {
    return ResponseCreateParams.builder().model(MODEL).input("Say hello.");
  }

  private static String textOf(Response response) {
    StringBuilder text = new StringBuilder();
    response.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .flatMap(content -> content.outputText().stream())
        .forEach(part -> text.append(part.text()));
    return text.toString();
  }

  private static Response ended(OpenAIClient gateway, String id) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> gateway.responses().retrieve(id),
            response ->
                response
                    .status()
                    .filter(
                        status ->
                            status.equals(ResponseStatus.COMPLETED)
                                || status.equals(ResponseStatus.INCOMPLETE))
                    .isPresent());
  }

  private String events(int port, String id, String more) throws Exception {
    URI uri = responses(port, "/" + id + "?stream=true" + more);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  private static URI responses(int port, String rest) {
    return URI.create("http://127.0.0.1:" + port + "/v1/responses" + rest);
  }

  private static String dataOfFirst(String events) {
    String data = "data: ";
    return events
        .lines()
        .filter(line -> line.startsWith(data))
        .findFirst()
        .orElseThrow()
        .substring(data.length());
  }

  private static OpenAIClient client(int port) {
    return OpenAIOkHttpClient.builder()
        .baseUrl("http://127.0.0.1:" + port + "/v1")
        .apiKey("none")
        .maxRetries(0)
        .build();
  }

  private static String requestId(String responseId) {
    return ResponseId.requestId(responseId).orElseThrow();
  }
}
