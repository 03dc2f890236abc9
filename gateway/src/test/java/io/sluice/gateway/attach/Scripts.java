package io.sluice.gateway.attach;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Courses of answers, as the events that the SDK gives every reader of the same log. */
final class Scripts {
  private Scripts() {}

  /** What an attempt does next. */
  enum Step {
    ONE_TOKEN,
    THREE_TOKENS,
    TEXT_WITHOUT_TOKENS,
    RESUME,
    RESTART
  }

  /** How an answer ends. */
  enum End {
    RUNNING,
    COMPLETED,
    COMPLETED_WITH_TEXT,
    COMPLETED_WHOLE,
    FAILED
  }

  static Arbitrary<List<ReplyEvent>> any() {
    return Combinators.combine(
            Arbitraries.of(Step.class).list().ofMaxSize(12), Arbitraries.of(End.class))
        .as(Scripts::events);
  }

  static List<ReplyEvent> events(List<Step> steps, End end) {
    List<ReplyEvent> events = new ArrayList<>();
    int attempt = 1;
    int tokens = 0;
    for (Step step : steps) {
      switch (step) {
        case ONE_TOKEN -> events.add(tokens(events.size(), tokens, 1));
        case THREE_TOKENS -> events.add(tokens(events.size(), tokens, 3));
        case TEXT_WITHOUT_TOKENS -> events.add(tokens(events.size(), tokens, 0));
        case RESUME -> events.add(new ReplyEvent.Resumed(++attempt, tokens, Optional.of("w")));
        case RESTART -> {
          events.add(new ReplyEvent.Restarted(++attempt, tokens, Optional.of("w")));
          tokens = 0;
        }
      }
      tokens += step == Step.ONE_TOKEN ? 1 : step == Step.THREE_TOKENS ? 3 : 0;
    }
    end(events, end, tokens);
    return List.copyOf(events);
  }

  private static void end(List<ReplyEvent> events, End end, int tokens) {
    String closing = chunk("", "\"stop\"");
    switch (end) {
      case RUNNING -> {}
      case COMPLETED -> events.add(completed(closing, "{}"));
      case COMPLETED_WITH_TEXT -> {
        String last = chunk("held", "\"stop\"");
        events.add(tokens("held", tokens, 0, last));
        events.add(completed(last, "{}"));
      }
      case COMPLETED_WHOLE -> {
        String whole = whole("all of it");
        events.add(completed(whole, whole, chunk("all of it", "\"stop\"")));
      }
      case FAILED ->
          events.add(
              new ReplyEvent.Failed(
                  ErrorKind.ENGINE_ERROR,
                  "broken",
                  OptionalLong.empty(),
                  "{\"error\":{\"message\":\"broken\"}}"));
    }
  }

  private static ReplyEvent.Tokens tokens(int number, int index, int count) {
    String text = "t" + number + " ";
    return tokens(text, index, count, chunk(text, "null"));
  }

  static ReplyEvent.Tokens tokens(String text, int index, int count, String json) {
    return new ReplyEvent.Tokens(
        text, index, count, OptionalLong.empty(), Optional.of("w"), Utf8Text.of(json));
  }

  private static ReplyEvent.Completed completed(String json, String whole) {
    return completed(json, whole, json);
  }

  static ReplyEvent.Completed completed(String json, String whole, String rest) {
    return new ReplyEvent.Completed(
        AnswerBuilder.builder()
            .requestId("r")
            .text("")
            .finishReason("stop")
            .usage(Usage.NONE)
            .json(whole)
            .fallback(false)
            .attempts(1)
            .firstTokenMillis(OptionalLong.empty())
            .latencyMillis(OptionalLong.empty())
            .worker(Optional.of("w"))
            .model(Optional.of("m"))
            .build(),
        Utf8Text.of(json),
        Optional.of(rest).filter(chunk -> !chunk.equals(json)).map(Utf8Text::of));
  }

  static String chunk(String text, String finishReason) {
    return """
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"%s"},\
        "finish_reason":%s}],"usage":{"completion_tokens":7}}"""
        .formatted(text, finishReason);
  }

  static String whole(String text) {
    return """
        {"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",\
        "content":"%s"},"finish_reason":"stop"}],"usage":{"completion_tokens":7}}"""
        .formatted(text);
  }
}
