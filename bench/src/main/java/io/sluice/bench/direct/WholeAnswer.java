package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Usage;
import java.util.Map;
import java.util.TreeMap;

/**
 * The relevant parts of an answer that was not streamed.
 *
 * @param texts by choice
 * @param finishReasons by choice
 */
public record WholeAnswer(
    Map<Integer, String> texts, Map<Integer, String> finishReasons, Usage usage) {

  /** Parses the body of an answer to a chat or text completion. */
  public static WholeAnswer of(JsonNode body) {
    Map<Integer, String> texts = new TreeMap<>();
    Map<Integer, String> finishReasons = new TreeMap<>();
    for (Choice choice : Choice.ofWhole(body)) {
      texts.put(choice.index(), choice.text());
      finishReasons.put(choice.index(), choice.finishReason().orElse(""));
    }
    return new WholeAnswer(texts, finishReasons, Usage.in(body).orElse(Usage.NONE));
  }
}
