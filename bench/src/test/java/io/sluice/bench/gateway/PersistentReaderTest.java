package io.sluice.bench.gateway;

import static io.sluice.bench.gateway.ScriptedGateway.broken;
import static io.sluice.bench.gateway.ScriptedGateway.whole;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PersistentReaderTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void aResponseGoesOnAtAnotherGatewayAfterItsLastEvent() throws Exception {
    // Given
    var cursor = ResponseCursor.of("resp_1");
    try (var first = new ScriptedGateway(broken(event(0, "a") + event(1, "b") + "event: half"));
        var second = new ScriptedGateway(whole(event(2, "c") + completed(3, "abc")));
        var gateways = new Gateways(List.of(first.uri(), second.uri()))) {
      // When
      var reader = new PersistentReader(gateways, cursor, 0);

      // Then
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(second.asked())
          .containsExactly("/v1/responses/resp_1?stream=true&starting_after=1");
      assertThat(reader.breaks()).isOne();
      assertThat(reader.problems()).isEmpty();
      assertThat(cursor.items()).hasSize(4);
      assertThat(cursor.text().text()).isEqualTo("abc");
    }
  }

  @Test
  void aGapARepeatAndASilentEndAreProblems() throws Exception {
    var cursor = ResponseCursor.of("resp_1");
    try (var gateway =
            new ScriptedGateway(
                whole(event(0, "a") + event(2, "c")), whole(event(2, "c") + completed(3, "ac")));
        var gateways = new Gateways(List.of(gateway.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(reader.problems())
          .containsExactly(
              "event 2 came after event 0",
              "the stream ended after event 2 without an end or an error",
              "event 2 came after event 2");
    }
  }

  @Test
  void aGatewayThatCannotReadOnIsAskedAgain() throws Exception {
    var cursor = ResponseCursor.of("resp_1");
    String interruption = "event: error\ndata: {\"type\":\"error\",\"sequence_number\":0}\n\n";
    try (var gateway =
            new ScriptedGateway(whole(event(0, "a") + interruption), whole(completed(1, "a")));
        var gateways = new Gateways(List.of(gateway.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(reader.problems()).isEmpty();
      assertThat(cursor.items()).hasSize(2);
    }
  }

  @Test
  void aStreamGoesOnAfterTheIdOfItsLastEvent() throws Exception {
    var cursor = new StreamCursor("1");
    try (var gateway =
            new ScriptedGateway(
                broken("id: 01\ndata: " + chunk("a") + "\n\n: keep-alive\n\n"),
                whole("id: 02\ndata: " + chunk("b") + "\n\nid: 03\ndata: [DONE]\n\n"));
        var gateways = new Gateways(List.of(gateway.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(gateway.asked())
          .containsExactly("/v1/requests/1/stream", "/v1/requests/1/stream after 01");
      assertThat(reader.problems()).isEmpty();
      assertThat(cursor.text().text()).isEqualTo("ab");
    }
  }

  @Test
  void messagesOfALogCountOnlyWithTheirOffset() throws Exception {
    var cursor = new LogCursor("1", LogCursor.Live.SSE);
    try (var gateway =
            new ScriptedGateway(
                broken(data("a") + control("5", false) + data("b")),
                whole(data("b") + control("6", true)));
        var gateways = new Gateways(List.of(gateway.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(gateway.asked())
          .containsExactly(
              "/v1/requests/1/log?offset=-1&live=sse", "/v1/requests/1/log?offset=5&live=sse");
      assertThat(cursor.text().text()).isEqualTo("ab");
    }
  }

  @Test
  void aGatewayWithTooManyReadersIsAskedAgainWhenItSays() throws Exception {
    var cursor = ResponseCursor.of("resp_1");
    try (var busy = new ScriptedGateway(busy(Optional.of("1")));
        var other = new ScriptedGateway(whole(completed(0, "a")));
        var gateways = new Gateways(List.of(busy.uri(), other.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      long beganNanos = System.nanoTime();
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - beganNanos))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
      assertThat(reader.problems()).isEmpty();
    }
  }

  @Test
  void aRefusalThatDoesNotSayWhenToAskAgainIsAProblem() throws Exception {
    var cursor = ResponseCursor.of("resp_1");
    try (var busy = new ScriptedGateway(busy(Optional.empty()));
        var other = new ScriptedGateway(whole(completed(0, "a")));
        var gateways = new Gateways(List.of(busy.uri(), other.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(reader.problems()).singleElement().asString().startsWith("status 429");
    }
  }

  private static ScriptedGateway.Reply busy(Optional<String> retryAfter) {
    return new ScriptedGateway.Reply(429, "{}", false, retryAfter);
  }

  @Test
  void anAnswerThatIsGoneInTheMiddleIsAProblem() throws Exception {
    var cursor = ResponseCursor.of("resp_1");
    try (var gateway =
            new ScriptedGateway(
                broken(event(0, "a")),
                new ScriptedGateway.Reply(404, "{}", false),
                whole(completed(1, "a")));
        var gateways = new Gateways(List.of(gateway.uri()))) {
      var reader = new PersistentReader(gateways, cursor, 0);
      assertThat(reader.read(LIMIT)).isTrue();
      assertThat(reader.problems())
          .singleElement()
          .asString()
          .startsWith("status 404 for /v1/responses/resp_1");
    }
  }

  private static String event(int number, String delta) {
    return "event: response.output_text.delta\ndata: {\"sequence_number\":%d,\"delta\":\"%s\"}\n\n"
        .formatted(number, delta);
  }

  private static String completed(int number, String text) {
    return """
        event: response.completed
        data: {"sequence_number":%d,"response":{"status":"completed",\
        "output":[{"content":[{"text":"%s"}]}]}}

        """
        .formatted(number, text);
  }

  private static String chunk(String content) {
    return "{\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}".formatted(content);
  }

  private static String data(String content) {
    return "event: data\ndata: [" + chunk(content) + "]\n\n";
  }

  private static String control(String offset, boolean isClosed) {
    return "event: control\ndata: {\"streamNextOffset\":\"%s\",\"streamClosed\":%b}\n\n"
        .formatted(offset, isClosed);
  }
}
