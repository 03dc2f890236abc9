package io.sluice.gateway.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.openai.WholeAnswers;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.client.ReplyEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes a closing chunk of the end of an answer that was not streamed: its end is the whole answer,
 * of which readers already have what the chunks before contain. Not thread-safe.
 */
final class ClosingChunk {
  /** What readers have, by choice. */
  private final Map<Integer, MergedChoice> read = new HashMap<>();

  /** Readers have got these tokens. */
  void follows(ReplyEvent.Tokens tokens) {
    for (JsonNode choice : tokens.value().json().path("choices")) {
      read.computeIfAbsent(choice.path("index").asInt(0), MergedChoice::new).add(choice);
    }
  }

  /** What readers have got is void. */
  void restart() {
    read.clear();
  }

  /** Returns the end with a closing chunk as its JSON. */
  ReplyEvent.Completed of(ReplyEvent.Completed end) {
    if (!end.json().equals(end.answer().json())
        || !(Utf8Text.of(end.json()).json() instanceof ObjectNode chunk)) {
      return end;
    }
    WholeAnswers.toChunk(chunk);
    for (JsonNode choice : chunk.path("choices")) {
      MergedChoice before = read.get(choice.path("index").asInt(0));
      if (before != null && choice instanceof ObjectNode closing) {
        before.removeFrom(closing);
      }
    }
    return new ReplyEvent.Completed(end.answer(), Json.text(chunk));
  }
}
