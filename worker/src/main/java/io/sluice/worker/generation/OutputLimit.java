package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.worker.engine.EngineDialect;
import io.sluice.worker.engine.EngineException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many tokens an answer may have. Where the caller does not say, the engine decides, by its own
 * defaults and by what the context leaves; vLLM names its limit when it is asked for more tokens
 * than that, and generates none.
 */
final class OutputLimit {
  /** More than any engine allows. */
  private static final int TOO_MANY = 1_000_000_000;

  /** {@code min_tokens must be less than or equal to max_tokens=200, got 1000000000.} */
  private static final Pattern NAMED = Pattern.compile("max_tokens=(\\d{1,9})\\b");

  private OutputLimit() {}

  /**
   * The limit of a request; empty if nobody tells.
   *
   * @throws EngineException if the engine is not well
   */
  static OptionalInt of(RequestBody body, EngineDialect dialect, EngineQuestions engine)
      throws EngineException, InterruptedException {
    OptionalInt wanted = body.maxTokens();
    if (wanted.isPresent() || !dialect.tellsOutputLimit()) {
      return wanted;
    }
    ObjectNode question = engine.ofModel(body.copy());
    question.put("stream", false).remove("stream_options");
    question.put("min_tokens", TOO_MANY);
    Matcher named =
        NAMED.matcher(
            engine.objection(body.endpoint().path(), question).at("/error/message").asText());
    return named.find() ? OptionalInt.of(Integer.parseInt(named.group(1))) : OptionalInt.empty();
  }
}
