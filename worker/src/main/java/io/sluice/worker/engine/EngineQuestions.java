package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What an engine is asked about a request besides its answer. One that is busy is waited for: what
 * it cannot tell and what it has not told yet are not the same. Thread-safe.
 */
public final class EngineQuestions {
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(30);
  private static final int SERVER_ERRORS = 500;

  private final EngineClient engine;
  private final Optional<String> model;

  /**
   * Questions to one engine.
   *
   * @param model the name that the request's model has there; empty if it needs none
   */
  public EngineQuestions(EngineClient engine, Optional<String> model) {
    this.engine = engine;
    this.model = model;
  }

  /** An empty question, of the request's model. */
  public ObjectNode question() {
    return ofModel(Json.mapper().createObjectNode());
  }

  /** The same question, of the request's model. */
  public ObjectNode ofModel(ObjectNode question) {
    model.ifPresent(name -> question.put("model", name));
    return question;
  }

  /**
   * The answer; missing if the engine does not know.
   *
   * @throws EngineException if the engine is not well, or does not answer within half a minute
   */
  public JsonNode ask(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = post(path, question);
    return answer.isOk() ? read(answer) : Json.mapper().missingNode();
  }

  /** What the engine objects to in a question; missing if it does not. */
  public JsonNode objection(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = post(path, question);
    return answer.isOk() ? Json.mapper().missingNode() : read(answer);
  }

  private EngineAnswer post(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = engine.post(path, Json.bytes(question), ANSWER_BOUND);
    if (answer.status() >= SERVER_ERRORS) {
      throw new EngineException(
          new EngineFailure.Unable(
              answer.status(), path + " answers " + answer.status(), OptionalLong.empty()));
    }
    return answer;
  }

  private static JsonNode read(EngineAnswer answer) {
    try {
      return Json.tree(answer.body());
    } catch (IOException e) {
      return Json.mapper().missingNode();
    }
  }
}
