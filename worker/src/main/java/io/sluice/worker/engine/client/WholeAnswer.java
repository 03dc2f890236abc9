package io.sluice.worker.engine.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.WholeAnswers;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Turns an answer that was not streamed into the events of a stream, one event per choice. */
final class WholeAnswer {
  private WholeAnswer() {}

  /**
   * Returns the frames: one per choice, and one with the usage.
   *
   * @throws EngineException if the body is not an answer
   */
  static List<ObjectNode> frames(byte[] body) throws EngineException {
    ObjectNode answer = parse(body);
    List<ObjectNode> frames = new ArrayList<>();
    ArrayNode choices = answer.withArray(AnswerEnvelope.CHOICES);
    choices.forEach(WholeAnswers::toDelta);
    JsonNode usage = answer.path("usage").deepCopy();
    answer.remove(AnswerEnvelope.CHOICES);
    for (int i = 0; i < choices.size(); i++) {
      // Fields other than the choices may be large, and are needed only once.
      ObjectNode frame = i == 0 ? answer : answer.deepCopy().retain(AnswerEnvelope.FIELDS);
      frame.putArray(AnswerEnvelope.CHOICES).add(choices.get(i));
      if (frame.path("usage") instanceof ObjectNode share) {
        int made = usage.path("completion_tokens").asInt();
        share.put("completion_tokens", made * (i + 1) / choices.size() - made * i / choices.size());
      }
      frames.add(frame);
    }
    ObjectNode total = Json.mapper().createObjectNode();
    total.putArray(AnswerEnvelope.CHOICES);
    total.set("usage", usage);
    frames.add(total);
    return frames;
  }

  private static ObjectNode parse(byte[] body) throws EngineException {
    try {
      if (Json.tree(body) instanceof ObjectNode answer
          && answer.path(AnswerEnvelope.CHOICES).isArray()) {
        return answer;
      }
    } catch (IOException e) {
      throw broken("the engine's answer is not JSON");
    }
    throw broken("the engine's answer has no choices");
  }

  private static EngineException broken(String message) {
    return new EngineException(new EngineFailure.Broken(FailureCode.GARBLED, message));
  }
}
