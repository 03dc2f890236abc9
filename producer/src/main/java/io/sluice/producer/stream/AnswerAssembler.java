package io.sluice.producer.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.openai.WholeAnswers;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Map;
import java.util.TreeMap;

/**
 * Assembles a whole {@code chat.completion} or {@code text_completion} from chunks, as an OpenAI
 * server would send it for a request without {@code stream}; or measures it, if only {@link #rest}
 * is needed. Not thread-safe.
 */
final class AnswerAssembler {
  private final Endpoint endpoint;
  private final boolean measuresOnly;
  private ObjectNode envelope = Json.mapper().createObjectNode();
  private Map<Integer, MergedChoice> choices = new TreeMap<>();

  private AnswerAssembler(Endpoint endpoint, boolean measuresOnly) {
    this.endpoint = endpoint;
    this.measuresOnly = measuresOnly;
  }

  AnswerAssembler(Endpoint endpoint) {
    this(endpoint, false);
  }

  /** Returns one that does not keep the content. */
  static AnswerAssembler measuring(Endpoint endpoint) {
    return new AnswerAssembler(endpoint, true);
  }

  /** Adds the content of a chunk. */
  void append(JsonNode chunk) {
    if (!measuresOnly) {
      addEnvelope(chunk);
    }
    for (Choice choice : Choice.ofChunk(chunk)) {
      choices.computeIfAbsent(choice.index(), this::begun).add(choice.json());
    }
  }

  private MergedChoice begun(int index) {
    return measuresOnly ? MergedChoice.measured(index) : new MergedChoice(index);
  }

  private void addEnvelope(JsonNode chunk) {
    for (Map.Entry<String, JsonNode> field : chunk.properties()) {
      switch (field.getKey()) {
        case AnswerEnvelope.CHOICES, "object" -> {}
        default -> {
          if (!field.getValue().isNull()) {
            envelope.set(field.getKey(), field.getValue());
          }
        }
      }
    }
  }

  /** Discards everything, because another attempt begins again. */
  void restart() {
    envelope = Json.mapper().createObjectNode();
    choices = new TreeMap<>();
  }

  /** Returns the answer as assembled so far. */
  ObjectNode whole() {
    ObjectNode answer = Json.mapper().createObjectNode();
    answer.setAll(envelope);
    answer.put("object", AnswerEnvelope.typeOfWhole(endpoint));
    ArrayNode list = answer.putArray(AnswerEnvelope.CHOICES);
    choices.values().forEach(choice -> list.add(choice.toWhole(endpoint)));
    return answer;
  }

  /** Returns what the chunks lack of the whole answer, as a closing chunk. */
  ObjectNode rest(JsonNode whole) {
    ObjectNode chunk = whole.deepCopy();
    WholeAnswers.toChunk(chunk);
    for (Choice choice : Choice.ofChunk(chunk)) {
      MergedChoice before = choices.get(choice.index());
      if (before != null && choice.json() instanceof ObjectNode closing) {
        before.removeFrom(closing);
      }
    }
    return chunk;
  }
}
