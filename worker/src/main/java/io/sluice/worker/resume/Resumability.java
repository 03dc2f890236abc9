package io.sluice.worker.resume;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.dialect.EngineDialect;
import java.util.List;

/**
 * Whether an answer can be continued, by the list in docs/protocol.md. Everything on it either
 * keeps state that text and tokens do not show, or would change what comes next.
 */
public final class Resumability {
  private static final List<String> ENGINE_STATE =
      List.of(
          "tools",
          "functions",
          "structured_outputs",
          "guided_json",
          "guided_regex",
          "guided_choice",
          "guided_grammar",
          "logprobs",
          "prompt_logprobs",
          "echo",
          "use_beam_search",
          "logit_bias",
          "bad_words",
          "repetition_detection",
          "thinking_token_budget");

  /** vLLM takes them as texts, too; what is left of them would have to be reckoned. */
  private static final List<String> NUMBERS =
      List.of(
          "max_tokens", "max_completion_tokens", "min_tokens", "n", "seed", "temperature", "top_k");

  private Resumability() {}

  /** Whether a request can be resumed at all, whatever its answer so far. */
  public static boolean ofRequest(ParsedRequest body) {
    boolean isFreeText = body.get("response_format").path("type").asText("text").equals("text");
    boolean isUnpenalised =
        body.get("presence_penalty").asDouble(0) == 0
            && body.get("frequency_penalty").asDouble(0) == 0
            && body.get("repetition_penalty").asDouble(1) == 1;
    boolean isStateless = ENGINE_STATE.stream().noneMatch(field -> isSet(body.get(field)));
    // Nobody can go on with an engine's random numbers where it left off.
    boolean isReproducible = body.isDrawn() && body.get("seed").isNumber();
    // The whole answer would have to list ids, and prompt ids, that the engine no longer tells.
    boolean needsAllIds = body.asksForTokenIds() && !body.isStream();
    return isOneAnswer(body)
        && NUMBERS.stream().noneMatch(field -> body.get(field).isTextual())
        && isFreeText
        && isUnpenalised
        && isStateless
        && !needsAllIds
        && !isReproducible;
  }

  /** Whether an engine of this kind can be expected to go on with a request's answer. */
  public static boolean onEngine(ParsedRequest body, EngineDialect dialect) {
    return ofRequest(body) && (byIds(body, dialect) || byText(body, dialect));
  }

  /**
   * Whether an engine of this kind is asked for token ids, so that others can go on by them. With
   * ids it has to show stop texts, which the worker takes out, and then shows the text of a stop
   * token as well, of which nobody could tell where it begins.
   */
  public static boolean byIds(ParsedRequest body, EngineDialect dialect) {
    boolean showsStopTokens =
        isSet(body.get("stop_token_ids")) || !body.get("skip_special_tokens").asBoolean(true);
    boolean isSpoiled = showsStopTokens && !body.stopTexts().isEmpty() && !body.keepsStopText();
    return dialect.tokenIds().isPresent() && ofRequest(body) && !isSpoiled;
  }

  /** Whether there is one prompt and one choice. */
  public static boolean isOneAnswer(ParsedRequest body) {
    JsonNode prompt = body.get("prompt");
    boolean isOnePrompt =
        body.endpoint() == Endpoint.CHAT_COMPLETIONS
            || prompt.isTextual()
            || (prompt.path(0).isInt() && prompt.isArray());
    return isOnePrompt && body.get("n").asInt(1) <= 1 && body.get("best_of").asInt(1) <= 1;
  }

  /** Whether a request that can be resumed can be so by its text. */
  public static boolean byText(ParsedRequest body, EngineDialect dialect) {
    // With more text behind it, the prompt would be cut elsewhere.
    if (isSet(body.get("truncate_prompt_tokens"))) {
      return false;
    }
    if (body.endpoint() == Endpoint.COMPLETIONS) {
      return body.get("prompt").isTextual();
    }
    return dialect.messageContinuation().stream().anyMatch(how -> how.fits(body.json()));
  }

  /**
   * Whether a text ends inside of a stop text: the engine that goes on would not see the stop text
   * whole.
   */
  public static boolean endsInsideStop(String text, List<String> stopTexts) {
    return stopBegun(text, stopTexts) > 0;
  }

  /** Characters at the end of a text with which a stop text may have begun: the most there are. */
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

  private static boolean isSet(JsonNode value) {
    if (value.isBoolean()) {
      return value.asBoolean();
    }
    return !value.isMissingNode()
        && !value.isNull()
        && !(value.isContainerNode() && value.isEmpty());
  }
}
