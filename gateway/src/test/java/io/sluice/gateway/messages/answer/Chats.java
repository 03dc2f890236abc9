package io.sluice.gateway.messages.answer;

import io.sluice.common.openai.Usage;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Creates what the pool answers to chat requests. */
final class Chats {
  /** 20 tokens of the prompt, of which 16 came from a cache, and 5 of the answer. */
  static final Usage USAGE = new Usage(20, 5, OptionalInt.of(16), OptionalInt.empty());

  private Chats() {}

  static ReplyEvent delta(String delta) {
    return tokens(chunk(delta, "null", "null"), 1);
  }

  static ReplyEvent tokens(String json, int count) {
    return new ReplyEvent.Tokens(
        "", 0, count, OptionalLong.empty(), Optional.empty(), Utf8Text.of(json));
  }

  static ReplyEvent finished(String reason) {
    return completed(chunk("{}", "\"" + reason + "\"", "null"));
  }

  static ReplyEvent completed(String json) {
    return new ReplyEvent.Completed(answer("{}"), Utf8Text.of(json));
  }

  static String chunk(String delta, String finishReason, String stopReason) {
    return """
        {"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s,"stop_reason":%s}]}
        """
        .formatted(delta, finishReason, stopReason);
  }

  static Answer answer(String json) {
    return AnswerBuilder.builder()
        .requestId("id")
        .text("")
        .finishReason("")
        .usage(USAGE)
        .json(json)
        .fallback(false)
        .attempts(1)
        .firstTokenMillis(OptionalLong.empty())
        .latencyMillis(OptionalLong.empty())
        .build();
  }
}
