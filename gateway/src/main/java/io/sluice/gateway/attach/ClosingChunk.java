package io.sluice.gateway.attach;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.openai.WholeAnswers;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.ReplyEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes a closing chunk of the end of an answer that was not streamed: its end is the whole answer,
 * of which readers already have the text of the chunks before. Not thread-safe.
 */
final class ClosingChunk {
  /** The number of characters that readers have, by choice. */
  private final Map<Integer, Integer> lengths = new HashMap<>();

  /** Readers have got these tokens. */
  void follows(ReplyEvent.Tokens tokens) {
    for (JsonNode choice : tokens.value().json().path("choices")) {
      int length = MergedChoice.textOf(choice).length();
      lengths.merge(choice.path("index").asInt(0), length, Integer::sum);
    }
  }

  /** What readers have got is void. */
  void restart() {
    lengths.clear();
  }

  /** Returns the end with a closing chunk as its JSON. */
  ReplyEvent.Completed of(ReplyEvent.Completed end) {
    if (!end.json().equals(end.answer().json())) {
      return end;
    }
    JsonNode whole = parse(end.json());
    if (!(whole instanceof ObjectNode chunk)) {
      return end;
    }
    WholeAnswers.toChunk(chunk);
    for (JsonNode choice : chunk.path("choices")) {
      if (choice instanceof ObjectNode closed) {
        shorten(closed, lengths.getOrDefault(choice.path("index").asInt(0), 0));
      }
    }
    return new ReplyEvent.Completed(end.answer(), Json.text(chunk));
  }

  private static void shorten(ObjectNode choice, int length) {
    if (choice.path("delta") instanceof ObjectNode delta) {
      cut(delta, "content", length);
    } else {
      cut(choice, "text", length);
    }
  }

  private static void cut(ObjectNode node, String field, int length) {
    String text = node.path(field).asText("");
    if (node.path(field).isTextual()) {
      node.put(field, text.substring(Math.min(length, text.length())));
    }
  }

  private static JsonNode parse(String json) {
    try {
      return Json.mapper().readTree(json);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
