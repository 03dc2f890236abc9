package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.app.Gateway;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.standalone.pool.SseReader.Event;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** Answers that are read again over HTTP, at any gateway and from any position. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayAttachIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String NEXT = "stream-next-offset";
  private static final String CLOSED = "stream-closed";
  private static final String UP_TO_DATE = "stream-up-to-date";
  private static final String FAR = "000000007fffffff0000000100000000";

  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;
  private SluiceClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
  }

  @AfterAll
  void stop() {
    client.close();
    pool.close();
  }

  @Test
  void aStreamContinuesAtAnotherGatewayAfterTheFirstOneDied() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("tell me of the sea", 300).build());
    List<Event> before;
    try (Gateway first = gateway("15");
        SseReader reader = stream(first.port(), sent.requestId(), "")) {
      before = reader.take(5);
    }

    // When
    List<Event> after;
    try (SseReader reader = stream(pool.gatewayPort(), sent.requestId(), before.getLast().id())) {
      after = reader.all();
    }

    // Then
    String text = sent.answer().get(30, TimeUnit.SECONDS).text();
    List<Event> both = new ArrayList<>(before);
    both.addAll(after);
    assertThat(textOf(both)).isEqualTo(text);
    assertThat(both.getLast().data()).isEqualTo("[DONE]");
    try (SseReader reader = stream(pool.gatewayPort(), sent.requestId(), "")) {
      assertThat(reader.all()).isEqualTo(both);
    }
  }

  @Test
  void aChatOverHttpIsReadAgainAsItWasStreamed() throws Exception {
    // Given
    HttpResponse<InputStream> chat = chat(true, 40);
    List<Event> streamed;
    try (SseReader reader = new SseReader(chat.body())) {
      streamed = reader.all();
    }
    String id = chat.headers().firstValue("x-request-id").orElseThrow();

    // When
    List<Event> again;
    try (SseReader reader = stream(pool.gatewayPort(), id, "")) {
      again = reader.all();
    }

    // Then
    assertThat(again.stream().map(Event::data))
        .containsExactlyElementsOf(streamed.stream().map(Event::data).toList());
    assertThat(again).extracting(Event::id).doesNotHaveDuplicates().doesNotContain("");
    String last = again.getLast().id();
    assertThat(get("/v1/requests/" + id + "/stream?last_event_id=" + last).statusCode())
        .isEqualTo(204);
    assertThat(get("/v1/requests/" + id + "/stream?include_usage=true").body())
        .contains("\"choices\":[]", "\"usage\":{");
  }

  @Test
  void anAnswerThatWasNotStreamedIsReadAsAStream() throws Exception {
    // Given
    HttpResponse<InputStream> chat = chat(false, 30);
    String text;
    try (InputStream body = chat.body()) {
      text = Json.mapper().readTree(body).at("/choices/0/message/content").asText();
    }
    String id = chat.headers().firstValue("x-request-id").orElseThrow();

    // Then
    try (SseReader reader = stream(pool.gatewayPort(), id, "")) {
      assertThat(textOf(reader.all())).isEqualTo(text);
    }
  }

  @Test
  void aReaderThatLeavesCancelsNothing() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("tell me of the wind", 200).build());

    // When
    try (SseReader reader = stream(pool.gatewayPort(), sent.requestId(), "")) {
      assertThat(reader.next()).isPresent();
    }

    // Then
    assertThat(sent.answer().get(30, TimeUnit.SECONDS).usage().completionTokens()).isEqualTo(200);
  }

  @Test
  void anotherTenantsAnswerIsAsUnknownAsNone() throws Exception {
    // Given
    String foreign = ended(ask("mine alone", 5).tenant("acme"));

    // When
    String unknown = "no-such-request";

    // Then
    try (Gateway impatient = gateway("0.5")) {
      for (String path : List.of("/stream", "/log", "/log?offset=now&live=long-poll")) {
        HttpResponse<String> ofForeign = get(impatient.port(), "/v1/requests/" + foreign + path);
        HttpResponse<String> ofUnknown = get(impatient.port(), "/v1/requests/" + unknown + path);
        assertThat(ofForeign.statusCode()).as(path).isEqualTo(404);
        assertThat(ofUnknown.statusCode()).as(path).isEqualTo(404);
        assertThat(ofForeign.body().replace(foreign, unknown)).isEqualTo(ofUnknown.body());
        assertThat(ofForeign.headers().firstValue("x-content-type-options")).contains("nosniff");
      }
    }
  }

  @Test
  void aPositionThatTheAnswerDoesNotHaveIsRefused() throws Exception {
    // Given
    String id = ended(ask("short", 5));
    String stream = "/v1/requests/" + id + "/stream?last_event_id=";
    String log = "/v1/requests/" + id + "/log?offset=";

    // Then
    for (String position :
        List.of("garbage", "7", FAR, FAR.replace("7fffffff00000001", "0000000100000007"))) {
      assertThat(get(stream + position).statusCode()).as(position).isEqualTo(400);
      assertThat(get(log + position).statusCode()).as(position).isEqualTo(400);
    }
    assertThat(get(stream + FAR).body()).contains("is behind the end of the answer");
    for (String query : List.of("", "1,2", "%20", "-1&offset=-1", "-1&live=often")) {
      assertThat(get(log + query).statusCode()).as(query).isEqualTo(400);
    }
    assertThat(get("/v1/requests/" + id + "/log?live=sse").statusCode()).isEqualTo(400);
    assertThat(get(log + "-1&live=sse&cursor=x").statusCode()).isEqualTo(400);
  }

  @Test
  void whatRetentionHasDeletedIsGone() throws Exception {
    // Given an answer of which Kafka has deleted the first half
    String id = ended(ask("long ago", 200));
    List<Event> whole;
    try (SseReader reader = stream(pool.gatewayPort(), id, "")) {
      whole = reader.all();
    }
    String offset = get("/v1/requests/" + id + "/log").headers().firstValue(NEXT).orElseThrow();
    deleteHalf(id);

    // Then
    for (String path :
        List.of(
            "/stream",
            "/stream?last_event_id=" + whole.getFirst().id(),
            "/log",
            "/log?offset=" + offset,
            "/log?offset=now",
            "/log?offset=-1&live=long-poll",
            "/log?offset=-1&live=sse")) {
      HttpResponse<String> gone = get("/v1/requests/" + id + path);
      assertThat(gone.statusCode()).as(path).isEqualTo(410);
      JsonNode error = Json.mapper().readTree(gone.body()).path("error");
      assertThat(error.path("code").asText()).isEqualTo("reply_truncated");
      assertThat(error.path("type").asText()).isEqualTo("reply_error");
      assertThat(error.path("message").asText())
          .isEqualTo("the beginning of the answer is no longer in Kafka");
    }
    HttpRequest head =
        request(pool.gatewayPort(), "/v1/requests/" + id + "/log")
            .method("HEAD", BodyPublishers.noBody())
            .build();
    assertThat(http.send(head, BodyHandlers.ofString()).statusCode()).isEqualTo(410);
  }

  @Test
  void aResponseOfWhichRetentionHasDeletedTheBeginningIsGone() throws Exception {
    // Given
    HttpRequest create =
        request(pool.gatewayPort(), "/v1/responses")
            .header("content-type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    """
                    {"model":"%s","input":"long ago","max_output_tokens":200}"""
                        .formatted(PoolPlan.MODEL)))
            .build();
    JsonNode created = Json.mapper().readTree(http.send(create, BodyHandlers.ofString()).body());
    String id = created.path("id").asText();
    deleteHalf(id.substring("resp_".length()));

    // Then
    for (String path : List.of("", "?stream=true", "?stream=true&starting_after=3")) {
      HttpResponse<String> gone = get("/v1/responses/" + id + path);
      assertThat(gone.statusCode()).as(path + gone.body()).isEqualTo(410);
      assertThat(Json.mapper().readTree(gone.body()).at("/error/code").asText())
          .isEqualTo("reply_truncated");
    }
  }

  /** Does what retention does, to the first half of an answer and what is before it. */
  private void deleteHalf(String id) throws Exception {
    try (PlainClient plain = new PlainClient(pool.kafka());
        Admin admin = Admin.create(Map.of("bootstrap.servers", pool.kafka()))) {
      var records =
          plain.collect(
              Topics.REPLIES, PlainClient.ofRequest(id), found -> PlainClient.isOver(id, found));
      var middle = records.get(records.size() / 2);
      admin
          .deleteRecords(
              Map.of(
                  new TopicPartition(middle.topic(), middle.partition()),
                  RecordsToDelete.beforeOffset(middle.offset())))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void longPollsReadARunningAnswerToItsEnd() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("tell me of the moon", 200).build());
    String log = "/v1/requests/" + sent.requestId() + "/log?live=long-poll&offset=";

    // When
    List<JsonNode> messages = new ArrayList<>();
    String offset = "-1";
    String cursor = "0";
    boolean isClosed = false;
    while (!isClosed) {
      HttpResponse<String> response = get(log + offset + "&cursor=" + cursor);
      if (response.statusCode() == 200) {
        Json.mapper().readTree(response.body()).forEach(messages::add);
      }
      offset = response.headers().firstValue(NEXT).orElseThrow();
      isClosed = response.headers().firstValue(CLOSED).isPresent();
      String next = response.headers().firstValue("stream-cursor").orElseThrow();
      assertThat(Long.parseLong(next)).isGreaterThan(Long.parseLong(cursor));
      cursor = next;
    }

    // Then
    assertThat(text(messages)).isEqualTo(sent.answer().get(30, TimeUnit.SECONDS).text());
    HttpResponse<String> whole = get("/v1/requests/" + sent.requestId() + "/log");
    assertThat(Json.mapper().readTree(whole.body())).containsExactlyElementsOf(messages);
    HttpResponse<String> behind = get(log + offset);
    assertThat(behind.statusCode()).isEqualTo(204);
    assertThat(behind.headers().firstValue(CLOSED)).contains("true");
  }

  @Test
  void aLongPollForWhichNothingComesTellsWhereToContinue() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("for ever", 3_000).build());
    assertThat(sent.next(PATIENCE)).isPresent();
    try (Gateway impatient = gateway("0.1")) {

      // When
      String log = "/v1/requests/" + sent.requestId() + "/log?live=long-poll&offset=" + FAR;
      HttpResponse<String> response = get(impatient.port(), log);

      // Then
      assertThat(response.statusCode()).isEqualTo(204);
      assertThat(response.headers().firstValue(NEXT)).contains(FAR);
      assertThat(response.headers().firstValue(UP_TO_DATE)).contains("true");
      assertThat(response.headers().firstValue("stream-cursor")).isPresent();
      assertThat(response.headers().firstValue(CLOSED)).isEmpty();
    } finally {
      sent.cancel();
    }
  }

  @Test
  void aLogIsFollowedByServerSentEventsToItsEnd() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("tell me of the sun", 200).build());

    // When
    HttpResponse<InputStream> response =
        http.send(
            request(
                    pool.gatewayPort(),
                    "/v1/requests/" + sent.requestId() + "/log?offset=-1&live=sse")
                .header("accept", "text/event-stream")
                .build(),
            BodyHandlers.ofInputStream());
    List<Event> events;
    try (SseReader reader = new SseReader(response.body())) {
      events = reader.all();
    }

    // Then each data event is followed by a control event
    assertThat(response.headers().firstValue("content-type")).contains("text/event-stream");
    List<JsonNode> messages = new ArrayList<>();
    for (int i = 0; i < events.size(); i += 2) {
      assertThat(events.get(i).name()).isEqualTo("data");
      assertThat(events.get(i + 1).name()).isEqualTo("control");
      Json.mapper().readTree(events.get(i).data()).forEach(messages::add);
    }
    assertThat(text(messages)).isEqualTo(sent.answer().get(30, TimeUnit.SECONDS).text());
    JsonNode last = Json.mapper().readTree(events.getLast().data());
    assertThat(last.path("streamClosed").asBoolean()).isTrue();
    assertThat(last.has("streamCursor")).isFalse();
    HttpResponse<String> end = get("/v1/requests/" + sent.requestId() + "/log?live=sse&offset=now");
    assertThat(end.body())
        .isEqualTo(
            "event: control\ndata:{\"streamNextOffset\":\"%s\",\"streamClosed\":true,\"upToDate\":true}\n\n"
                .formatted(last.path("streamNextOffset").asText()));
  }

  @Test
  void anEndedLogCanBeKeptAndAskedForItsLength() throws Exception {
    // Given
    String log = "/v1/requests/" + ended(ask("to keep", 10)) + "/log";

    // When
    HttpResponse<String> whole = get(log);

    // Then
    String end = whole.headers().firstValue(NEXT).orElseThrow();
    assertThat(whole.headers().firstValue("content-type")).contains("application/json");
    assertThat(whole.headers().firstValue(UP_TO_DATE)).contains("true");
    assertThat(whole.headers().firstValue(CLOSED)).contains("true");
    assertThat(whole.headers().firstValue("cache-control").orElseThrow()).startsWith("private,");

    String tag = whole.headers().firstValue("etag").orElseThrow();
    HttpResponse<String> unchanged =
        http.send(
            request(pool.gatewayPort(), log).header("if-none-match", tag).build(),
            BodyHandlers.ofString());
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.body()).isEmpty();

    HttpResponse<String> now = get(log + "?offset=now");
    assertThat(now.body()).isEqualTo("[]");
    assertThat(now.headers().firstValue("etag")).isEmpty();
    assertThat(get(log + "?offset=" + end).body()).isEqualTo("[]");

    HttpResponse<String> head =
        http.send(
            request(pool.gatewayPort(), log).method("HEAD", BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValue(NEXT)).contains(end);
    assertThat(head.headers().firstValue(CLOSED)).contains("true");
    assertThat(head.headers().firstValue("cache-control")).contains("no-store");
    assertThat(
            http.send(
                    request(pool.gatewayPort(), log).POST(BodyPublishers.ofString("[]")).build(),
                    BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(405);
  }

  private static InferenceRequest.Builder ask(String question, int tokens) {
    return InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(question)))
        .with("max_tokens", tokens);
  }

  /** Returns the id of a request that was answered. */
  private String ended(InferenceRequest.Builder request) throws Exception {
    ReplyStream sent = client.submit(request.build());
    sent.answer().get(30, TimeUnit.SECONDS);
    return sent.requestId();
  }

  private Gateway gateway(String keepAliveSeconds) {
    return Pools.gateway(pool, Map.of("keep-alive-seconds", keepAliveSeconds));
  }

  private SseReader stream(int port, String id, String lastEventId) throws Exception {
    HttpRequest.Builder request = request(port, "/v1/requests/" + id + "/stream");
    request.header("accept", "text/event-stream");
    if (!lastEventId.isEmpty()) {
      request.header("last-event-id", lastEventId);
    }
    HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    return new SseReader(response.body());
  }

  private HttpResponse<InputStream> chat(boolean isStreamed, int tokens) throws Exception {
    String body =
        """
        {"model":"sluice-8b","max_tokens":%d,"stream":%b,"messages":[{"role":"user","content":"Hello"}]}
        """
            .formatted(tokens, isStreamed);
    return http.send(
        request(pool.gatewayPort(), "/v1/chat/completions")
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofInputStream());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return get(pool.gatewayPort(), path);
  }

  private HttpResponse<String> get(int port, String path) throws Exception {
    return http.send(request(port, path).build(), BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
  }

  private static String textOf(List<Event> events) throws IOException {
    List<JsonNode> chunks = new ArrayList<>();
    for (Event event : events) {
      if (event.name().isEmpty() && !event.data().equals("[DONE]")) {
        chunks.add(Json.mapper().readTree(event.data()));
      }
    }
    return text(chunks);
  }

  private static String text(List<JsonNode> chunks) {
    StringBuilder text = new StringBuilder();
    chunks.forEach(chunk -> text.append(chunk.at("/choices/0/delta/content").asText("")));
    return text.toString();
  }
}
