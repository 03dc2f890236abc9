package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A healthy pool as seen by a caller that has a Kafka client and docs/protocol.md. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class PoolIT {
  private static final String LANE = "sluice.requests.2k";

  /** A service's own reply topic, which accepts small answers only. */
  private static final String SMALL = "sluice.replies.small";

  private LocalPool pool;
  private PlainClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    try (Admin admin =
        Admin.create(
            Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, backends.kafkaBootstrapServers()))) {
      NewTopic small = new NewTopic(SMALL, 1, (short) 1);
      small.configs(Map.of("max.message.bytes", "2000"));
      admin.createTopics(List.of(small)).all().get(30, TimeUnit.SECONDS);
    }
    pool = Pools.start(backends, 3);
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterAll
  void stop() {
    client.close();
    pool.close();
  }

  @Test
  void aStreamedAnswerArrivesTokenByTokenAndEndsWithItsUsage() throws Exception {
    // When
    PlainClient.Answer answer = ask(Requests.chat("why is the sky blue", 40), Map.of());

    // Then
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    assertThat(answer.attempts()).isEqualTo(1);
    assertThat(answer.tokens()).isEqualTo(40);
    assertThat(answer.text()).isNotBlank();
    assertThat(answer.records().size()).isGreaterThan(3);
    assertThat(answer.last().at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(answer.last().at("/usage/completion_tokens").asInt()).isEqualTo(40);
    assertThat(answer.records())
        .allSatisfy(record -> assertThat(PlainClient.header(record, "sluice")).contains("1"));
  }

  @Test
  void anAnswerThatIsNotStreamedIsOneWholeCompletionWithTheSameText() throws Exception {
    // When
    PlainClient.Answer streamed = ask(Requests.chat("compare", 30), Map.of());
    PlainClient.Answer whole = ask(Requests.chat(PoolPlan.MODEL, "compare", 30, false), Map.of());

    // Then
    assertThat(whole.ok()).isTrue();
    assertThat(whole.last().path("object").asText()).isEqualTo("chat.completion");
    assertThat(whole.last().at("/choices/0/message/content").asText()).isEqualTo(streamed.text());
    assertThat(whole.last().at("/usage/completion_tokens").asInt()).isEqualTo(30);
  }

  @Test
  void completionsAreServedToo() throws Exception {
    byte[] body =
        """
        {"model":"sluice-8b","prompt":"Once upon a time","max_tokens":20,"ignore_eos":true,"stream":true}"""
            .getBytes(UTF_8);
    PlainClient.Answer answer = ask(body, Map.of("endpoint", "/v1/completions"));
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    assertThat(answer.tokens()).isEqualTo(20);
    assertThat(answer.text()).isNotBlank();
  }

  @Test
  void aRequestWithoutAnIdIsKnownByItsPlaceInTheLog() throws Exception {
    var sent = client.send(LANE, null, Requests.chat("anonymous", 5), Map.of());
    String id = sent.topic() + "-" + sent.partition() + "-" + sent.offset();
    assertThat(client.read(Topics.REPLIES, id).ok()).isTrue();
  }

  @Test
  void aRequestInTheWrongLaneIsMovedToAWorkerThatHoldsIt() throws Exception {
    String longPrompt = "word ".repeat(6_000);
    PlainClient.Answer answer = ask(Requests.chat(longPrompt, 10), Map.of());
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    assertThat(PlainClient.header(answer.records().getFirst(), "worker")).contains("precise");
  }

  @Test
  void theTierThatIsAskedForAnswersWhileItHasRoom() throws Exception {
    for (String tier : List.of("fast", "balanced", "precise")) {
      PlainClient.Answer answer = ask(Requests.chat("hello", 5), Map.of("tier", tier));
      assertThat(PlainClient.header(answer.records().getFirst(), "worker")).contains(tier);
    }
  }

  @Test
  void bulkRequestsAreAnsweredAsWell() throws Exception {
    String id = UUID.randomUUID().toString();
    client.send(Topics.BULK, id, Requests.chat("in bulk", 5), Map.of("request-id", id));
    assertThat(client.read(Topics.REPLIES, id).ok()).isTrue();
  }

  @Test
  void aRepeatIsNotRunAgain() throws Exception {
    // Given
    String id = UUID.randomUUID().toString();
    byte[] body = Requests.chat("only once", 5);
    client.send(LANE, id, body, Map.of("request-id", id));
    client.send(LANE, id, body, Map.of("request-id", id));
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);

    // When another request on the same partition has been answered since
    String later = UUID.randomUUID().toString();
    client.send(LANE, id, Requests.chat("later", 5), Map.of("request-id", later));
    client.read(Topics.REPLIES, later);

    // Then
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    var all =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 2);
    assertThat(all.stream().filter(r -> PlainClient.header(r, "kind").equals(Optional.of("final"))))
        .hasSize(1);
  }

  @Test
  void aRepeatIsToldWhereTheAnswerToTheFirstOneBegins() throws Exception {
    // Given
    String id = UUID.randomUUID().toString();
    byte[] body = Requests.chat("only once", 5);
    client.send(LANE, id, body, Map.of("request-id", id));
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);

    // When
    client.send(LANE, id, body, Map.of("request-id", id));

    // Then
    var pointer =
        client
            .collect(
                Topics.REPLIES,
                PlainClient.ofRequest(id).and(r -> isOf(r, "kind", "pointer")),
                records -> !records.isEmpty())
            .getFirst();
    var first = answer.records().getFirst();
    assertThat(new String(pointer.value(), UTF_8))
        .contains("\"reply_to\":\"sluice.replies\"")
        .contains("\"reply_partition\":" + first.partition())
        .contains("\"offset\":" + first.offset());
  }

  @Test
  void anIdThatAnotherTenantUsesIsRefusedAndTheirAnswerUndisturbed() throws Exception {
    // Given
    String id = UUID.randomUUID().toString();
    byte[] body = Requests.chat("mine", 200);
    client.send(LANE, id, body, Map.of("request-id", id, "tenant", "a"));
    client.send(LANE, id, body, Map.of("request-id", id, "tenant", "b"));

    // When
    var refusal =
        client
            .collect(
                Topics.REPLIES,
                PlainClient.ofRequest(id).and(r -> isOf(r, "kind", "error")),
                records -> !records.isEmpty())
            .getFirst();
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);

    // Then
    assertThat(isOf(refusal, "attempt", "0")).isTrue();
    assertThat(isOf(refusal, "tenant", "b")).isTrue();
    assertThat(new String(refusal.value(), UTF_8)).contains("request_id_in_use");
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    assertThat(answer.tokens()).isEqualTo(200);
  }

  private static boolean isOf(ConsumerRecord<String, byte[]> record, String name, String value) {
    return PlainClient.header(record, name).equals(Optional.of(value));
  }

  @Test
  void aRequestIsCancelledWhileItRuns() throws Exception {
    // Given
    String id = UUID.randomUUID().toString();
    client.send(LANE, id, Requests.chat("go on and on", 1_500), Map.of("request-id", id));
    client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 2);

    // When
    byte[] cancel = "{\"type\":\"cancel\",\"request_id\":\"%s\"}".formatted(id).getBytes(UTF_8);
    client.send(Topics.CONTROL, id, cancel, Map.of());

    // Then
    assertThat(client.read(Topics.REPLIES, id).errorCode()).isEqualTo("cancelled");
  }

  @Test
  void aRunningRequestEndsAtItsDeadline() throws Exception {
    PlainClient.Answer answer =
        ask(Requests.chat("take your time", 1_500), Map.of("timeout-ms", "1000"));
    assertThat(answer.errorCode()).isEqualTo("deadline_exceeded");
    assertThat(answer.tokens()).isPositive();
  }

  @Test
  void theFallbackModelCanBeAskedForByName() throws Exception {
    PlainClient.Answer answer =
        ask(Requests.chat(PoolPlan.FALLBACK_MODEL, "mini", 10, true), Map.of());
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    assertThat(PlainClient.header(answer.records().getFirst(), "worker")).contains("fallback");
  }

  @Test
  void springsReplyHeadersAreUnderstood() throws Exception {
    // Given
    String id = UUID.randomUUID().toString();
    Map<String, String> headers =
        Map.of(
            "request-id", id,
            "kafka_replyTopic", "sluice.replies",
            "kafka_correlationId", "correlation-7");

    // When
    client.send(LANE, id, Requests.chat(PoolPlan.MODEL, "spring", 5, false), headers);
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);

    // Then
    assertThat(PlainClient.header(answer.records().getLast(), "kafka_correlationId"))
        .contains("correlation-7");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void badInputGetsOneClearErrorAndADeadLetterAndTheNextRequestIsServed(
      String what, byte[] body, Map<String, String> headers, String code, String says)
      throws Exception {
    // When
    String id = UUID.randomUUID().toString();
    Map<String, String> all = new HashMap<>(headers);
    all.put("request-id", id);
    client.send(LANE, id, body, all);
    String next = UUID.randomUUID().toString();
    client.send(LANE, id, Requests.chat("still served", 5), Map.of("request-id", next));

    // Then
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);
    assertThat(answer.errorCode()).isEqualTo(code);
    assertThat(answer.errorMessage()).contains(says);
    assertThat(answer.records()).hasSize(1);
    var dead =
        client.collect(
            Topics.DEAD_LETTERS, PlainClient.ofRequest(id), records -> !records.isEmpty());
    assertThat(PlainClient.header(dead.getFirst(), "error-code")).contains(code);
    assertThat(Optional.ofNullable(dead.getFirst().value()).orElse(new byte[0]))
        .isEqualTo(body == null ? new byte[0] : body);
    assertThat(client.read(Topics.REPLIES, next).ok()).isTrue();
  }

  static Stream<Arguments> badInputGetsOneClearErrorAndADeadLetterAndTheNextRequestIsServed() {
    byte[] fine = Requests.chat("fine", 5);
    byte[] huge = Requests.chat("word ".repeat(1_000_000), 5);
    return Stream.of(
        bad("not JSON", "hello", Map.of(), "invalid_request", "not JSON"),
        bad("an array", "[1,2]", Map.of(), "invalid_request", "JSON object"),
        bad("nothing", "", Map.of(), "invalid_request", "empty"),
        bad("no messages", "{\"model\":\"sluice-8b\"}", Map.of(), "invalid_request", "messages"),
        bad(
            "wrong shape",
            "{\"model\":\"sluice-8b\",\"messages\":\"hi\"}",
            Map.of(),
            "invalid_request",
            "messages"),
        bad(
            "unknown model",
            "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
            Map.of(),
            "model_not_found",
            "sluice-8b"),
        Arguments.of(
            "unknown endpoint",
            fine,
            Map.of("endpoint", "/v1/audio"),
            "invalid_request",
            "endpoint"),
        Arguments.of("5 MB", huge, Map.of(), "context_length_exceeded", "32768"),
        Arguments.of(
            "too long",
            Requests.chat("word ".repeat(60_000), 5),
            Map.of(),
            "context_length_exceeded",
            "shorten"),
        Arguments.of(
            "deadline", fine, Map.of("deadline", "soon"), "invalid_request", "epoch milliseconds"),
        Arguments.of(
            "priority", fine, Map.of("priority", "yesterday"), "invalid_request", "interactive"),
        Arguments.of("partition", fine, Map.of("reply-partition", "999"), "invalid_request", "999"),
        Arguments.of(
            "missing reply topic",
            fine,
            Map.of("reply-to", "sluice.replies.nowhere"),
            "invalid_request",
            "does not exist"),
        Arguments.of(
            "forbidden reply topic",
            fine,
            Map.of("reply-to", "sluice.outcomes"),
            "invalid_request",
            "reply-to"));
  }

  private static Arguments bad(
      String what, String body, Map<String, String> headers, String code, String says) {
    return Arguments.of(what, body.getBytes(UTF_8), headers, code, says);
  }

  @Test
  void anAnswerThatItsReplyTopicDoesNotTakeIsRefusedAfterOneGeneration() throws Exception {
    // When
    String brief = sentTo(SMALL, Requests.chat(PoolPlan.MODEL, "in short", 5, false));
    String id = sentTo(SMALL, Requests.chat(PoolPlan.MODEL, "at length", 1_000, false));
    PlainClient.Answer answer = client.read(SMALL, id);

    // Then
    assertThat(client.read(SMALL, brief).ok()).isTrue();
    assertThat(answer.errorCode()).isEqualTo("answer_too_large");
    assertThat(answer.errorMessage()).contains("bytes is larger than topic " + SMALL + " allows");
    var dead =
        client.collect(
            Topics.DEAD_LETTERS, PlainClient.ofRequest(id), records -> !records.isEmpty());
    assertThat(PlainClient.header(dead.getFirst(), "history").orElseThrow())
        .contains("\"attempts\":1,");
  }

  /** Sends a request with this reply topic; returns its id. */
  private String sentTo(String replyTopic, byte[] body) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send(LANE, id, body, Map.of("request-id", id, "reply-to", replyTopic));
    return id;
  }

  @Test
  void everyServiceTellsItsHealthAndItsMetrics() throws Exception {
    List<Integer> ports =
        Stream.concat(Stream.of(pool.routerPort()), pool.workers().stream().map(w -> w.httpPort()))
            .toList();
    for (int port : ports) {
      assertThat(get(port, "/health/liveness")).contains("UP");
      await().until(() -> ServiceHealth.readiness(port).isUp());
      assertThat(get(port, "/prometheus")).contains("sluice_");
    }
  }

  private static String get(int port, String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .version(HttpClient.Version.HTTP_1_1)
              .build();
      var response = http.send(request, BodyHandlers.ofString());
      assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
      return response.body();
    }
  }

  private PlainClient.Answer ask(byte[] body, Map<String, String> headers) throws Exception {
    String id = UUID.randomUUID().toString();
    Map<String, String> all = new HashMap<>(headers);
    all.put("request-id", id);
    client.send(LANE, id, body, all);
    return client.read(Topics.REPLIES, id);
  }
}
