package io.sluice.gateway.messages.answer;

import static io.sluice.gateway.messages.answer.Chats.chunk;
import static io.sluice.gateway.messages.answer.Chats.completed;
import static io.sluice.gateway.messages.answer.Chats.delta;
import static io.sluice.gateway.messages.answer.Chats.finished;
import static io.sluice.gateway.messages.answer.Chats.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.http.Frame;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MessageEventsTest {
  private final MessageEvents events = new MessageEvents("id", 30);

  @Test
  void aTextIsOneBlock() {
    // When
    List<String> sent =
        send(
            delta("{\"role\":\"assistant\",\"content\":\"\"}"),
            delta("{\"content\":\"Hel\"}"),
            delta("{\"content\":\"lo\"}"),
            finished("stop"));

    // Then
    assertThat(sent)
        .containsExactly(
            "message_start {\"type\":\"message_start\",\"message\":{\"id\":\"msg_id\","
                + "\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],"
                + "\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":30,"
                + "\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,"
                + "\"output_tokens\":0}}}",
            start(0, "{\"type\":\"text\",\"text\":\"\"}"),
            change(0, "\"type\":\"text_delta\",\"text\":\"Hel\""),
            change(0, "\"type\":\"text_delta\",\"text\":\"lo\""),
            stop(0),
            "message_delta {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
                + "\"stop_sequence\":null},\"usage\":{\"input_tokens\":4,"
                + "\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":16,"
                + "\"output_tokens\":5}}");
    assertThat(events.isEnded()).isTrue();
    assertThat(text(events.last())).isEqualTo("message_stop {\"type\":\"message_stop\"}");
  }

  @Test
  void reasoningAndTextAreBlocksOfTheirOwn() {
    // When
    List<String> sent =
        send(
            delta("{\"reasoning\":\"Hm\"}"),
            delta("{\"reasoning_content\":\"m\",\"content\":\"Yes\"}"),
            finished("stop"));

    // Then
    assertThat(sent.subList(1, sent.size() - 1))
        .containsExactly(
            start(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"),
            change(0, "\"type\":\"thinking_delta\",\"thinking\":\"Hm\""),
            change(0, "\"type\":\"thinking_delta\",\"thinking\":\"m\""),
            change(0, "\"type\":\"signature_delta\",\"signature\":\"id\""),
            stop(0),
            start(1, "{\"type\":\"text\",\"text\":\"\"}"),
            change(1, "\"type\":\"text_delta\",\"text\":\"Yes\""),
            stop(1));
  }

  @Test
  void eachCallIsABlockAfterTheText() {
    // When
    List<String> sent =
        send(
            delta("{\"content\":\"Let me see.\"}"),
            delta(
                "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"weather\"}}]}"),
            delta("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"c\"}}]}"),
            delta(
                "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\":1}\"}},"
                    + "{\"index\":1,\"function\":{\"name\":\"time\",\"arguments\":\"{}\"}}]}"),
            finished("tool_calls"));

    // Then
    assertThat(sent.subList(3, sent.size() - 1))
        .containsExactly(
            stop(0),
            start(1, "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"weather\",\"input\":{}}"),
            change(1, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"c\""),
            change(1, "\"type\":\"input_json_delta\",\"partial_json\":\"\\\":1}\""),
            stop(1),
            start(
                2, "{\"type\":\"tool_use\",\"id\":\"toolu_id_1\",\"name\":\"time\",\"input\":{}}"),
            change(2, "\"type\":\"input_json_delta\",\"partial_json\":\"{}\""),
            stop(2));
    assertThat(sent.getLast()).contains("\"stop_reason\":\"tool_use\"");
  }

  @Test
  void argumentsThatComeLateAreNotLost() {
    // When
    List<String> sent =
        send(
            delta("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\"}}]}"),
            delta("{\"tool_calls\":[{\"index\":1,\"function\":{\"name\":\"b\"}}]}"),
            delta("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}"));

    // Then
    assertThat(sent.getLast())
        .isEqualTo(change(0, "\"type\":\"input_json_delta\",\"partial_json\":\"{}\""));
  }

  @Test
  void anEmptyAnswerHasNoBlock() {
    // When
    List<String> sent = send(finished("stop"));

    // Then
    assertThat(sent).hasSize(2);
    assertThat(sent.getFirst()).startsWith("message_start");
    assertThat(sent.getLast()).startsWith("message_delta");
  }

  @Test
  void aClosingChunkWithHeldBackTextIsSentOnce() {
    // Given
    String closing = chunk("{\"content\":\"END\"}", "\"stop\"", "null");

    // When
    List<String> sent = send(tokens(closing, 0), completed(closing));

    // Then
    assertThat(sent.stream().filter(text -> text.contains("END"))).hasSize(1);
    assertThat(sent.getLast()).contains("\"stop_reason\":\"end_turn\"");
  }

  @Test
  void whatOnlyTheClosingChunkHoldsIsSent() {
    // When
    List<String> sent = send(completed(chunk("{\"reasoning\":\"Hm\"}", "\"length\"", "null")));

    // Then
    assertThat(sent).anyMatch(text -> text.contains("\"thinking\":\"Hm\""));
    assertThat(sent.getLast()).contains("\"stop_reason\":\"max_tokens\"");
  }

  @Test
  void aStopSequenceIsNamed() {
    // When
    List<String> sent = send(completed(chunk("{}", "\"stop\"", "\"END\"")));

    // Then
    assertThat(sent.getLast())
        .contains("\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"END\"");
  }

  @Test
  void aRefusalIsATextAndAReason() {
    // When
    List<String> sent = send(delta("{\"refusal\":\"I cannot.\"}"), finished("stop"));

    // Then
    assertThat(sent).contains(change(0, "\"type\":\"text_delta\",\"text\":\"I cannot.\""));
    assertThat(sent.getLast()).contains("\"stop_reason\":\"refusal\"");
  }

  @Test
  void anErrorIsTheLastEvent() {
    // When
    List<String> sent =
        send(
            delta("{\"content\":\"Hel\"}"),
            new ReplyEvent.Failed(ErrorKind.OVERLOADED, "too busy", OptionalLong.empty(), "{}"));

    // Then
    assertThat(sent.getLast())
        .isEqualTo(
            "error {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                + "\"message\":\"too busy\"},\"request_id\":\"id\"}");
    assertThat(events.isEnded()).isTrue();
  }

  @Test
  void anAnswerThatBeginsAgainAfterContentWasSentIsAnError() {
    // Given
    var restarted = new ReplyEvent.Restarted(2, 1, Optional.empty());
    send(delta("{\"role\":\"assistant\"}"));

    // Then
    assertThat(send(restarted)).isEmpty();
    send(delta("{\"content\":\"Hel\"}"));
    assertThat(send(restarted)).singleElement().asString().startsWith("error {");
    assertThat(events.isEnded()).isTrue();
  }

  @Test
  void anAnswerThatContinuesIsNotDisturbed() {
    assertThat(send(new ReplyEvent.Resumed(2, 1, Optional.empty()))).isEmpty();
  }

  @Test
  void silenceIsFilledWithPings() {
    assertThat(text(events.keepAlive())).isEqualTo("ping {\"type\":\"ping\"}");
  }

  private List<String> send(ReplyEvent... replies) {
    return Arrays.stream(replies)
        .flatMap(reply -> events.of(reply).stream())
        .map(MessageEventsTest::text)
        .toList();
  }

  private static String text(Frame frame) {
    return frame instanceof Frame.Event(String name, Utf8Text data) ? name + " " + data : "?";
  }

  private static String start(int index, String block) {
    return "content_block_start {\"type\":\"content_block_start\",\"index\":%d,\"content_block\":%s}"
        .formatted(index, block);
  }

  private static String change(int index, String delta) {
    return "content_block_delta {\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{%s}}"
        .formatted(index, delta);
  }

  private static String stop(int index) {
    return "content_block_stop {\"type\":\"content_block_stop\",\"index\":%d}".formatted(index);
  }
}
