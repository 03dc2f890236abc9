package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Responses and logs for tests. */
final class Made {
  static final String ID = "0190a6b8-0000-7000-8000-000000000000";

  private Made() {}

  static CreatedResponse created(String request) {
    return new CreatedResponse(
        ID,
        "default",
        Instant.ofEpochMilli(1_790_000_000_500L),
        Instant.ofEpochMilli(1_790_000_600_500L),
        Map.of(),
        (ObjectNode) json(request),
        Json.mapper().createArrayNode());
  }

  static ReplyEvent.Tokens text(String text) {
    return delta("{'content':" + Json.text(text) + "}");
  }

  static ReplyEvent.Tokens delta(String delta) {
    String chunk = "{'choices':[{'index':0,'delta':%s}]}".formatted(delta).replace('\'', '"');
    return new ReplyEvent.Tokens(
        "", 0, 1, OptionalLong.of(5), Optional.of("w"), Utf8Text.of(chunk));
  }

  static ReplyEvent.Restarted restarted() {
    return new ReplyEvent.Restarted(2, 1, Optional.of("w"));
  }

  static ReplyEvent.Completed finished(String reason) {
    String closing =
        """
        {'choices':[{'index':0,'delta':{},'finish_reason':'%s'}],'usage':{'prompt_tokens':3,
        'completion_tokens':4,'prompt_tokens_details':{'cached_tokens':2},
        'completion_tokens_details':{'reasoning_tokens':1}}}"""
            .formatted(reason)
            .replace('\'', '"');
    return completed(reason, closing);
  }

  static ReplyEvent.Completed completed(String reason, String closing) {
    Answer answer =
        AnswerBuilder.builder()
            .requestId(ID)
            .text("")
            .finishReason(reason)
            .usage(Usage.of(3, 4))
            .json("{}")
            .fallback(false)
            .attempts(1)
            .firstTokenMillis(OptionalLong.of(5))
            .latencyMillis(OptionalLong.of(2_600))
            .worker(Optional.of("w"))
            .model(Optional.of("m"))
            .build();
    return new ReplyEvent.Completed(answer, Utf8Text.of(closing));
  }

  static ReplyEvent.Failed failed(ErrorKind kind) {
    return new ReplyEvent.Failed(kind, "because", OptionalLong.empty(), "{}");
  }

  /** Returns all events of a response. */
  static List<ResponseEvent> events(CreatedResponse created, List<ReplyEvent> log) {
    ResponseEvents events = new ResponseEvents(created);
    List<ResponseEvent> all = new ArrayList<>(events.begin());
    log.forEach(event -> all.addAll(events.next(event)));
    return all;
  }

  static JsonNode json(String text) {
    try {
      return Json.mapper().readTree(text.replace('\'', '"'));
    } catch (IOException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
