package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Asks an engine about a request, other than generating its answer. A busy engine is waited for,
 * and one that rejects its worker's key fails the attempt, because "not answered" must not be taken
 * for "cannot tell". Thread-safe.
 */
public final class EngineQuestions {
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(30);
  private static final int SERVER_ERRORS = 500;

  /** Where engines require the key. A proxy may refuse what is elsewhere to everybody. */
  private static final String WITH_KEY = "/v1/";

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

  /** Returns an empty question about the request's model. */
  public ObjectNode question() {
    return ofModel(Json.mapper().createObjectNode());
  }

  /** Adds the request's model to a question. */
  public ObjectNode ofModel(ObjectNode question) {
    model.ifPresent(name -> question.put("model", name));
    return question;
  }

  /**
   * Returns the answer; a missing node if the engine does not know.
   *
   * @throws EngineException if the engine does not answer within 30 s, or with a server error, a
   *     temporary one, or under {@code /v1/} a refusal of the key
   */
  public JsonNode ask(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = post(path, question);
    return answer.isOk() ? read(answer) : Json.mapper().missingNode();
  }

  /**
   * Returns the error with which the engine rejects a question; a missing node if it accepts it.
   *
   * @throws EngineException if the engine does not answer within 30 s, or with a server error, a
   *     temporary one, or under {@code /v1/} a refusal of the key
   */
  public JsonNode objection(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = post(path, question);
    return answer.isOk() ? Json.mapper().missingNode() : read(answer);
  }

  private EngineAnswer post(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    EngineAnswer answer = engine.post(path, Json.bytes(question), ANSWER_BOUND);
    int status = answer.status();
    String seen = path + " answered with status " + status;
    if (EngineFailure.Refused.isOfKey(status) && path.startsWith(WITH_KEY)) {
      throw new EngineException(new EngineFailure.Refused(status, seen));
    }
    if (status >= SERVER_ERRORS || EngineFailure.Unable.isTemporary(status)) {
      throw new EngineException(new EngineFailure.Unable(status, seen, OptionalLong.empty()));
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
