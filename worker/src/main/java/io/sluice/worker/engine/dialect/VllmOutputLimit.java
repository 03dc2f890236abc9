package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineQuestions;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks vLLM for its own limit of output tokens, which depends on its defaults and on what the
 * prompt leaves of the context. A request whose {@code min_tokens} is above the limit is refused
 * before any token is generated, and the error names the limit.
 */
final class VllmOutputLimit implements OutputLimitProbe {
  /** More than any engine allows. */
  private static final int TOO_MANY = 1_000_000_000;

  /** {@code min_tokens must be less than or equal to max_tokens=200, got 1000000000.} */
  private static final Pattern NAMED = Pattern.compile("max_tokens=(\\d{1,9})\\b");

  @Override
  public OptionalInt ask(EngineQuestions engine, Endpoint endpoint, ObjectNode body)
      throws EngineException, InterruptedException {
    ObjectNode question = engine.ofModel(body);
    question.put("stream", false).remove("stream_options");
    question.put("min_tokens", TOO_MANY);
    Matcher named =
        NAMED.matcher(engine.objection(endpoint.path(), question).at("/error/message").asText());
    return named.find() ? OptionalInt.of(Integer.parseInt(named.group(1))) : OptionalInt.empty();
  }
}
