package io.sluice.worker.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.Silence;
import io.sluice.worker.engine.Transport;
import io.sluice.worker.testing.ScriptedEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client must make of everything that an engine, or the network, can do to it. */
@Timeout(30)
@Tag("slow")
class EngineClientContractTest {
  private static final String ROLE =
      "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}";
  private static final String HELLO = content("Hello", null);
  private static final String STOP = content("", "stop");

  @Test
  void aWholeStreamIsHeadTokensAndFinish() throws Exception {
    try (var server =
            new ScriptedServer(c -> stream(c, ROLE, HELLO, STOP, usage(35, 2), "[DONE]"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      // When
      List<EngineEvent> events = readAll(http);

      // Then
      assertThat(events.getFirst()).isInstanceOf(EngineEvent.Head.class);
      assertThat(counts(events)).containsExactly(0, 1, 1);
      assertThat(events.getLast())
          .isInstanceOfSatisfying(
              EngineEvent.Finish.class,
              finish -> assertThat(finish.usage().orElseThrow().completionTokens()).isEqualTo(2));
      assertThat(http.tracked()).isZero();
    }
  }

  @Test
  void whatTheFrameWithTheUsageSaysBesidesIsKept() throws Exception {
    String last =
        usage(35, 2).replaceFirst("}$", ",\"system_fingerprint\":\"f\",\"metrics\":null}");
    try (var server = new ScriptedServer(c -> stream(c, HELLO, STOP, last, "[DONE]"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThat(readAll(http).getLast())
          .isInstanceOfSatisfying(
              EngineEvent.Finish.class,
              finish ->
                  assertThat(finish.extraFields()).hasToString("{\"system_fingerprint\":\"f\"}"));
    }
  }

  @Test
  void aFinishedStreamLeavesItsConnectionForTheNext() throws Exception {
    try (var server = new ScriptedServer(c -> stream(c, HELLO, STOP, "[DONE]"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      int streams = 20;
      for (int i = 0; i < streams; i++) {
        readAll(http);
      }

      // The next may come before the pool has the connection back; not time and again.
      assertThat(server.connections()).isLessThan(streams / 2);
    }
  }

  @Test
  void theRequestCarriesItsHeadersAndNoneOfOurs() throws Exception {
    var head = new AtomicReference<>("");
    var body = new AtomicReference<>("");
    try (var server =
            new ScriptedServer(
                c -> {
                  head.set(c.head());
                  body.set(c.body());
                  stream(c, HELLO, STOP, "[DONE]");
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      readAll(http);

      assertThat(head.get())
          .startsWith("POST /v1/chat/completions HTTP/1.1\n")
          .containsIgnoringCase("x-request-id: r-1")
          .containsIgnoringCase("content-type: application/json")
          .doesNotContainIgnoringCase("x-sluice");
      assertThat(body.get()).isEqualTo("{\"stream\":true}");
    }
  }

  @Test
  void aCancelClosesTheConnectionWithinASecond() throws Exception {
    var hungUp = new CountDownLatch(1);
    try (var server =
            new ScriptedServer(
                c -> {
                  c.sendStreamHead();
                  c.sendFrame(HELLO);
                  c.awaitHangUp();
                  hungUp.countDown();
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      EngineStream stream = http.client().open(request());
      assertThat(nextTokens(stream).completionTokens()).isEqualTo(1);

      // When
      stream.cancel();

      // Then
      assertThat(hungUp.await(1, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> stream.next(Duration.ofSeconds(1)))
          .isInstanceOfSatisfying(
              EngineException.class,
              e -> assertThat(e.failure()).isInstanceOf(EngineFailure.Cancelled.class));
      assertThat(http.tracked()).isZero();
    }
  }

  @Test
  void aCancelBeforeTheHeadClosesTheConnectionToo() throws Exception {
    var asked = new CountDownLatch(1);
    try (var server =
            new ScriptedServer(
                c -> {
                  asked.countDown();
                  c.awaitHangUp();
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      EngineStream stream = http.client().open(request());
      asked.await();

      stream.cancel();

      await().atMost(Duration.ofSeconds(1)).until(() -> server.hangUps() == 1);
    }
  }

  @Test
  void aCancelAfterAnInterimResponseClosesTheConnectionToo() throws Exception {
    try (var server =
            new ScriptedServer(
                c -> {
                  c.send("HTTP/1.1 100 Continue\r\n\r\n");
                  c.sendStreamHead();
                  c.sendFrame(HELLO);
                  c.awaitHangUp();
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      EngineStream stream = http.client().open(request());
      nextTokens(stream);

      stream.cancel();

      await().atMost(Duration.ofSeconds(1)).until(() -> server.hangUps() == 1);
    }
  }

  @Test
  void aCancelWhileBytesPourInClosesTheConnectionToo() throws Exception {
    try (var server =
            new ScriptedServer(
                c -> {
                  c.sendStreamHead();
                  while (true) {
                    c.sendFrame(content("word ".repeat(200), null));
                  }
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      EngineStream stream = http.client().open(request());
      nextTokens(stream);

      stream.cancel();

      await().atMost(Duration.ofSeconds(1)).until(() -> server.hangUps() == 1);
    }
  }

  @Test
  void closingAStreamInTheMiddleHangsUp() throws Exception {
    try (var server =
            new ScriptedServer(
                c -> {
                  c.sendStreamHead();
                  c.sendFrame(HELLO);
                  c.awaitHangUp();
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      try (EngineStream stream = http.client().open(request())) {
        nextTokens(stream);
      }

      await().atMost(Duration.ofSeconds(1)).until(() -> server.hangUps() == 1);
    }
  }

  @Test
  void aCutIsAFailureToBeRetriedElsewhere() throws Exception {
    EngineFailure failure =
        failureOf(
            c -> {
              c.sendStreamHead();
              c.sendFrame(HELLO);
              c.socket().close();
            });

    assertThat(code(failure)).isEqualTo(FailureCode.CUT);
  }

  @Test
  void aCutInTheMiddleOfAFrameIsOneToo() throws Exception {
    EngineFailure failure =
        failureOf(
            c -> {
              c.sendStreamHead();
              c.sendFrame(HELLO);
              c.sendChunk("data: {\"choi");
              c.socket().close();
            });

    assertThat(code(failure)).isEqualTo(FailureCode.CUT);
  }

  @Test
  void aMissingDoneIsACutUnlessTheAnswerIsWhole() throws Exception {
    EngineFailure failure = failureOf(c -> stream(c, ROLE, HELLO));

    assertThat(code(failure)).isEqualTo(FailureCode.CUT);
  }

  @Test
  void anEngineThatSendsNoDoneIsUnderstood() throws Exception {
    try (var server =
            new ScriptedServer(
                c ->
                    stream(
                        c,
                        HELLO,
                        content("", "stop")
                            .replace(
                                "\"choices\"",
                                "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2},\"choices\"")));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      List<EngineEvent> events = readAll(http);

      assertThat(events.getLast())
          .isInstanceOfSatisfying(
              EngineEvent.Finish.class,
              finish -> assertThat(finish.usage().orElseThrow().promptTokens()).isEqualTo(3));
    }
  }

  @Test
  void garbageIsAFailureToBeRetriedElsewhere() throws Exception {
    EngineFailure failure = failureOf(c -> stream(c, HELLO, "{\"choices\": [oops"));

    assertThat(code(failure)).isEqualTo(FailureCode.GARBLED);
  }

  @Test
  void anAnswerThatIsNotAStreamIsGarbled() throws Exception {
    EngineFailure failure = failureOf(c -> c.sendWhole(200, "", "{}"));

    assertThat(code(failure)).isEqualTo(FailureCode.GARBLED);
  }

  @Test
  void anErrorFrameIsThatError() throws Exception {
    EngineFailure dead =
        failureOf(
            c ->
                stream(
                    c,
                    HELLO,
                    "{\"error\": {\"message\": \"EngineCore encountered an issue.\", \"type\": \"InternalServerError\", \"param\": null, \"code\": 500}}",
                    "[DONE]"));
    EngineFailure lazy =
        failureOf(
            c ->
                stream(
                    c,
                    "{\"error\": {\"message\": \"bad grammar\", \"type\": \"BadRequestError\", \"param\": null, \"code\": 400}}",
                    "[DONE]"));

    assertThat(code(dead)).isEqualTo(FailureCode.ENGINE_ERROR);
    assertThat(dead.status()).isEqualTo(500);
    assertThat(lazy).isInstanceOf(EngineFailure.Rejected.class);
  }

  @Test
  void anAnswerThatIsNotStreamedComesAsOneFramePerChoice() throws Exception {
    String answer =
        """
        {"id":"c","object":"chat.completion","created":1,"model":"m","system_fingerprint":"f",
         "choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop","stop_reason":null},
                    {"index":1,"message":{"role":"assistant","content":"Hi you"},"finish_reason":"length"}],
         "usage":{"prompt_tokens":35,"completion_tokens":5},"prompt_logprobs":[null]}
        """;
    var accepts = new AtomicReference<>("");
    try (var server =
            new ScriptedServer(
                c -> {
                  accepts.set(c.head());
                  c.sendWhole(200, "", answer);
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      List<EngineEvent> events = readAll(http, whole());

      assertThat(accepts.get()).containsIgnoringCase("accept: application/json");
      assertThat(counts(events)).containsExactly(2, 5);
      EngineEvent.Tokens first = (EngineEvent.Tokens) events.get(1);
      assertThat(first.chunk().toJson().at("/choices/0/delta/content").asText()).isEqualTo("Hello");
      assertThat(first.chunk().toJson().path("prompt_logprobs").size()).isEqualTo(1);
      assertThat(events.getLast()).isEqualTo(ScriptedEngine.finish(Usage.of(35, 5)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "{\"choices\":[]}", "{\"choices\":"})
  void aBodyThatIsNotAnAnswerFails(String answer) throws Exception {
    try (var server = new ScriptedServer(c -> c.sendWhole(200, "", answer));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThatThrownBy(() -> readAll(http, whole()))
          .isInstanceOfSatisfying(
              EngineException.class,
              e -> assertThat(e.failure()).isInstanceOf(EngineFailure.Broken.class));
    }
  }

  @Test
  void anAbortIsAFailure() throws Exception {
    EngineFailure failure = failureOf(c -> stream(c, content("", "abort"), "[DONE]"));

    assertThat(code(failure)).isEqualTo(FailureCode.ABORT);
  }

  @Test
  void statusesAreClassified() throws Exception {
    String tooLong =
        "{\"error\":{\"message\":\"This model's maximum context length is 10 tokens.\",\"type\":\"BadRequestError\",\"param\":\"input_tokens\",\"code\":400}}";
    assertRejected(
        failureOf(c -> c.sendWhole(400, "", tooLong)), ErrorKind.CONTEXT_LENGTH_EXCEEDED);
    assertRejected(failureOf(c -> c.sendWhole(422, "", "")), ErrorKind.INVALID_REQUEST);
    String noRoom =
        "{\"error\":{\"message\":\"max_tokens must be at least 1, got 0.\",\"type\":\"BadRequestError\",\"param\":\"max_tokens\",\"code\":400}}";
    assertThat(
            ((EngineFailure.Rejected) failureOf(c -> c.sendWhole(400, "", noRoom))).blamesLimit())
        .isTrue();
    EngineFailure busy = failureOf(c -> c.sendWhole(429, "retry-after: 2\r\n", ""));
    assertThat(busy.retryAfterMillis()).hasValue(2_000);
  }

  @ParameterizedTest
  @CsvSource({
    "307, ENGINE_ERROR",
    "408, ENGINE_OVERLOADED",
    "425, ENGINE_OVERLOADED",
    "429, ENGINE_OVERLOADED",
    "500, ENGINE_ERROR",
    "503, ENGINE_ERROR"
  })
  void anEngineThatCannotAnswerIsBusyOrBroken(int status, FailureCode code) throws Exception {
    EngineFailure failure = failureOf(c -> c.sendWhole(status, "", "oops"));

    assertThat(code(failure)).isEqualTo(code);
    assertThat(failure.status()).isEqualTo(status);
  }

  private static FailureCode code(EngineFailure failure) {
    return ((EngineFailure.Fault) failure).code();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "401 | {\"error\":\"Unauthorized\"}                        | SLUICE_ENGINE_API_KEY",
        "403 | forbidden                                       | SLUICE_ENGINE_API_KEY",
        "404 | {\"detail\":\"Not Found\"}                          | SLUICE_MODEL",
        "404 | {\"error\":{\"message\":\"no x\",\"param\":\"model\"}} | SLUICE_MODEL"
      })
  void aRefusalOfTheWorkerIsThePoolsFaultAndSaysWhatToSet(int status, String body, String setting)
      throws Exception {
    EngineFailure failure = failureOf(c -> c.sendWhole(status, "", body));

    assertThat(code(failure)).isEqualTo(FailureCode.ENGINE_REFUSED);
    assertThat(failure.status()).isEqualTo(status);
    assertThat(((EngineFailure.Refused) failure).hint()).contains(setting);
  }

  @Test
  void anEngineThatRefusesConnectionsIsDown() throws Exception {
    var server = new ScriptedServer(c -> {});
    server.close();
    try (var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThat(failureOf(http))
          .isInstanceOfSatisfying(
              EngineFailure.Unreachable.class,
              failure -> assertThat(failure.reach()).isEqualTo(Transport.Reach.REFUSED));
    }
  }

  @Test
  void aResetBeforeTheHeadIsUnreachable() throws Exception {
    assertThat(failureOf(c -> c.socket().close()))
        .isInstanceOfSatisfying(
            EngineFailure.Unreachable.class,
            failure -> assertThat(failure.reach()).isEqualTo(Transport.Reach.SENT));
  }

  @Test
  void eachSilenceHasItsOwnLimit() throws Exception {
    var shortHead = new EngineTimeouts(millis(50), seconds(20), seconds(20));
    var shortFirst = new EngineTimeouts(seconds(20), millis(50), seconds(20));
    var shortStall = new EngineTimeouts(seconds(20), seconds(20), millis(50));

    assertThat(code(failureOf(shortHead, ScriptedServer.Connection::awaitHangUp)))
        .isEqualTo(FailureCode.HEAD_TIMEOUT);
    assertThat(
            code(
                failureOf(
                    shortFirst,
                    c -> {
                      c.sendStreamHead();
                      c.sendFrame(ROLE);
                      c.sendChunk(": keep-alive\n\n");
                      c.awaitHangUp();
                    })))
        .isEqualTo(FailureCode.FIRST_TOKEN_TIMEOUT);
    assertThat(
            code(
                failureOf(
                    shortStall,
                    c -> {
                      c.sendStreamHead();
                      c.sendFrame(HELLO);
                      c.awaitHangUp();
                    })))
        .isEqualTo(FailureCode.STALL);
  }

  @Test
  void waitingForATokenEndsAfterTheGivenTime() throws Exception {
    try (var server =
            new ScriptedServer(
                c -> {
                  c.sendStreamHead();
                  c.awaitHangUp();
                });
        var http = new EngineHttp(server.uri(), EngineHttp.patient());
        EngineStream stream = http.client().open(request())) {
      assertThat(stream.next(seconds(5))).containsInstanceOf(EngineEvent.Head.class);

      assertThat(stream.next(millis(20))).isEmpty();
    }
  }

  @Test
  void continuousUsageCountsTokensAndFramesMayHoldSeveral() throws Exception {
    try (var server =
            new ScriptedServer(
                c ->
                    stream(
                        c,
                        counted("a b c", 3, null),
                        counted(" d", 4, null),
                        counted("", 5, "stop"),
                        usage(7, 5),
                        "[DONE]"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThat(counts(readAll(http))).containsExactly(3, 4, 5);
    }
  }

  @Test
  void choicesAreCountedEachByItself() throws Exception {
    String second = counted("x", 2, null).replace("\"index\":0", "\"index\":1");
    try (var server =
            new ScriptedServer(
                c ->
                    stream(
                        c,
                        counted("a", 1, null),
                        second,
                        counted("", 2, "stop"),
                        second.replace("null", "\"stop\""),
                        "[DONE]"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThat(counts(readAll(http))).containsExactly(1, 3, 4, 4);
    }
  }

  @Test
  void smallEndpointsAnswerWithAnyStatus() throws Exception {
    try (var server =
            new ScriptedServer(
                c ->
                    c.sendWhole(
                        c.head().startsWith("GET /health ") ? 503 : 200,
                        "",
                        "{\"version\":\"0.30.0\"}"));
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThat(http.client().get("/health", seconds(5)).status()).isEqualTo(503);
      assertThat(
              new String(http.client().get("/version", seconds(5)).body(), StandardCharsets.UTF_8))
          .contains("0.30.0");
      assertThat(http.tracked()).isZero();
    }
  }

  @Test
  void aSmallEndpointThatHangsIsGivenUp() throws Exception {
    try (var server = new ScriptedServer(ScriptedServer.Connection::awaitHangUp);
        var http = new EngineHttp(server.uri(), EngineHttp.patient())) {
      assertThatThrownBy(() -> http.client().get("/health", millis(50)))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("/health did not answer within 50 ms");
      await().atMost(Duration.ofSeconds(1)).until(() -> server.hangUps() == 1);
    }
  }

  private static void assertRejected(EngineFailure failure, ErrorKind kind) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            EngineFailure.Rejected.class, rejected -> assertThat(rejected.kind()).isEqualTo(kind));
  }

  private static EngineFailure failureOf(ScriptedServer.Script script) throws Exception {
    return failureOf(EngineHttp.patient(), script);
  }

  private static EngineFailure failureOf(EngineTimeouts timeouts, ScriptedServer.Script script)
      throws Exception {
    try (var server = new ScriptedServer(script);
        var http = new EngineHttp(server.uri(), timeouts)) {
      return failureOf(http);
    }
  }

  private static EngineFailure failureOf(EngineHttp http) throws InterruptedException {
    try {
      readAll(http);
      throw new AssertionError("the stream did not fail");
    } catch (EngineException e) {
      return e.failure();
    }
  }

  private static List<EngineEvent> readAll(EngineHttp http)
      throws EngineException, InterruptedException {
    return readAll(http, request());
  }

  private static List<EngineEvent> readAll(EngineHttp http, EngineRequest request)
      throws EngineException, InterruptedException {
    List<EngineEvent> events = new ArrayList<>();
    try (EngineStream stream = http.client().open(request)) {
      while (events.isEmpty() || !(events.getLast() instanceof EngineEvent.Finish)) {
        events.add(stream.next(Duration.ofSeconds(20)).orElseThrow());
      }
    }
    return events;
  }

  private static EngineEvent.Tokens nextTokens(EngineStream stream)
      throws EngineException, InterruptedException {
    while (true) {
      Optional<EngineEvent> event = stream.next(Duration.ofSeconds(10));
      if (event.orElseThrow() instanceof EngineEvent.Tokens tokens) {
        return tokens;
      }
    }
  }

  private static List<Integer> counts(List<EngineEvent> events) {
    return events.stream()
        .filter(EngineEvent.Tokens.class::isInstance)
        .map(event -> ((EngineEvent.Tokens) event).completionTokens())
        .toList();
  }

  private static EngineRequest request() {
    return new EngineRequest(
        "/v1/chat/completions",
        "{\"stream\":true}".getBytes(StandardCharsets.UTF_8),
        true,
        Silence.NONE,
        Map.of("X-Request-Id", "r-1"));
  }

  private static EngineRequest whole() {
    byte[] body = "{\"prompt_logprobs\":0}".getBytes(StandardCharsets.UTF_8);
    return new EngineRequest("/v1/chat/completions", body, false, Silence.NONE, Map.of());
  }

  private static void stream(ScriptedServer.Connection connection, String... frames)
      throws IOException {
    connection.sendStreamHead();
    for (String frame : frames) {
      connection.sendFrame(frame);
    }
    connection.sendLastChunk();
  }

  private static String content(String text, String finishReason) {
    String reason = finishReason == null ? "null" : "\"" + finishReason + "\"";
    return "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
        + text
        + "\"},\"finish_reason\":"
        + reason
        + "}]}";
  }

  private static String counted(String text, int tokens, String finishReason) {
    return content(text, finishReason)
        .replaceFirst(
            "\\}$", ",\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":" + tokens + "}}");
  }

  private static String usage(int prompt, int completion) {
    return "{\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":"
        + prompt
        + ",\"completion_tokens\":"
        + completion
        + "}}";
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }
}
