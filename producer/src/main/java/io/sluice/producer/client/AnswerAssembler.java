package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Map;
import java.util.TreeMap;

/**
 * Grows a whole {@code chat.completion} or {@code text_completion} from chunks, as an OpenAI server
 * would have sent it to a caller that asked for no stream. Not thread-safe.
 */
final class AnswerAssembler {
  private final Endpoint endpoint;
  private ObjectNode envelope = Json.mapper().createObjectNode();
  private Map<Integer, MergedChoice> choices = new TreeMap<>();

  AnswerAssembler(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /** Adds what a chunk carries. */
  void append(JsonNode chunk) {
    for (Map.Entry<String, JsonNode> field : chunk.properties()) {
      switch (field.getKey()) {
        case "choices" -> field.getValue().forEach(this::appendChoice);
        case "object" -> {}
        default -> {
          if (!field.getValue().isNull()) {
            envelope.set(field.getKey(), field.getValue());
          }
        }
      }
    }
  }

  /** Forgets everything: another attempt begins again. */
  void restart() {
    envelope = Json.mapper().createObjectNode();
    choices = new TreeMap<>();
  }

  /** The whole answer so far. */
  ObjectNode whole() {
    ObjectNode answer = Json.mapper().createObjectNode();
    answer.setAll(envelope);
    boolean isChat = endpoint == Endpoint.CHAT_COMPLETIONS;
    answer.put("object", isChat ? "chat.completion" : "text_completion");
    ArrayNode list = answer.putArray("choices");
    choices.values().forEach(choice -> list.add(choice.toWhole(endpoint)));
    return answer;
  }

  private void appendChoice(JsonNode choice) {
    choices.computeIfAbsent(choice.path("index").asInt(0), MergedChoice::new).add(choice);
  }
}
