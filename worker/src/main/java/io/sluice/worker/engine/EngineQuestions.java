package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Asks an engine about a request, besides generating its answer. A busy engine is waited for,
 * because "not answered yet" must not be taken for "cannot tell". Thread-safe.
 */
public final class EngineQuestions {
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(30);
  private static final int SERVER_ERRORS = 500;

  private final EngineClient engine;
  private final Optional<String> model;

  /**
   * Questions to one engine.
   *
   * @param model the name of the request's model at that engine; empty if it needs none
   */
  public EngineQuestions(EngineClient engine, Optional<String> model) {
    this.engine = engine;
    this.model = model;
  }

  /** An empty question about the request's model. */
  public ObjectNode question() {
    return ofModel(Json.mapper().createObjectNode());
  }

  /** Adds the request's model to a question. */
  public ObjectNode ofModel(ObjectNode question) {
    model.ifPresent(name -> question.put("model", name));
    return question;
  }

  /**
   * The answer; a missing node if the engine does not know.
   *
   * @throws EngineException if the engine answers with a server error, or not within 30 s
   */
  public JsonNode ask(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = post(path, question);
    return answer.isOk() ? read(answer) : Json.mapper().missingNode();
  }

  /**
   * The error with which the engine rejects a question; a missing node if it accepts it.
   *
   * @throws EngineException if the engine answers with a server error, or not within 30 s
   */
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
              answer.status(),
              path + " answered with status " + answer.status(),
              OptionalLong.empty()));
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
