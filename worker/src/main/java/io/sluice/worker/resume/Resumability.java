package io.sluice.worker.resume;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether an answer can be continued, by the list in docs/protocol.md. Stateful options keep state
 * in the engine that text and tokens do not show, or would change what follows.
 */
public final class Resumability {
  private static final List<String> STATEFUL =
      List.of("tools", "functions", "logprobs", "echo", "logit_bias");

  /**
   * Some engines accept these as strings, too. The remaining limits cannot be computed for those.
   */
  private static final List<String> NUMBERS =
      Stream.concat(
              Stream.of(
                  "max_tokens", "max_completion_tokens", "n", "best_of", "seed", "temperature"),
              EngineDialects.numericOptions().stream())
          .toList();

  private Resumability() {}

  /** Returns whether a request can be resumed at all, regardless of its answer so far. */
  public static boolean ofRequest(OpenAiRequest body) {
    boolean isUnpenalised =
        body.get("presence_penalty").asDouble(0) == 0
            && body.get("frequency_penalty").asDouble(0) == 0;
    boolean isStateless =
        STATEFUL.stream().noneMatch(body::isSet) && !EngineDialects.isStateful(body);
    // The state of an engine's random generator cannot be continued.
    boolean isReproducible = body.isSampled() && body.get("seed").isNumber();
    // The complete answer would have to list ids, and prompt ids, that the engine no longer
    // reports.
    boolean needsAllIds = body.asksForTokenIds() && !body.isStream();
    return body.isOneAnswer()
        && NUMBERS.stream().noneMatch(field -> body.get(field).isTextual())
        && !body.isStructured()
        && isUnpenalised
        && isStateless
        && !needsAllIds
        && !isReproducible;
  }

  /** Returns whether an engine of this kind can be expected to continue a request's answer. */
  public static boolean onEngine(OpenAiRequest body, EngineDialect dialect) {
    return ofRequest(body) && (byIds(body, dialect) || byText(body, dialect));
  }

  /**
   * Returns whether an engine of this kind is asked for token ids, so that other attempts can
   * continue by them.
   */
  public static boolean byIds(OpenAiRequest body, EngineDialect dialect) {
    return dialect.tokenIds().filter(ids -> ids.fits(body)).isPresent() && ofRequest(body);
  }

  /** Returns whether a resumable request can be continued by its text. */
  public static boolean byText(OpenAiRequest body, EngineDialect dialect) {
    if (EngineDialects.truncatingOptions().stream().anyMatch(body::isSet)) {
      return false;
    }
    if (body.endpoint() == Endpoint.COMPLETIONS) {
      return body.prompt().isTextual();
    }
    return dialect.messageContinuation().stream().anyMatch(how -> how.fits(body.json()));
  }

  /**
   * Returns whether a text ends inside a stop text. The engine that continues would not see the
   * whole stop text.
   */
  public static boolean endsInsideStop(String text, List<String> stopTexts) {
    return stopBegun(text, stopTexts) > 0;
  }

  /**
   * Returns the number of characters at the end of a text that may be the beginning of a stop text:
   * the largest such number.
   */
  public static int stopBegun(String text, List<String> stopTexts) {
    return stopTexts.stream().mapToInt(stop -> begun(text, stop)).max().orElse(0);
  }

  private static int begun(String text, String stop) {
    for (int length = Math.min(stop.length() - 1, text.length()); length > 0; length--) {
      if (text.endsWith(stop.substring(0, length))) {
        return length;
      }
    }
    return 0;
  }
}
