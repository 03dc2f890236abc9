package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import java.util.regex.Pattern;

/**
 * Removes from a text what is specific to an engine: names, random ids, and the numbers of its
 * vocabulary.
 */
record Wording(Engine engine) {

  private static final Pattern RANDOM = Pattern.compile("[0-9a-f]{16,}");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(e[+-]?\\d+)?");

  String plain(String text, Request.Comparison comparison) {
    String plain = RANDOM.matcher(text).replaceAll("RANDOM");
    for (String lora : engine.loras()) {
      plain = plain.replace(lora, "LORA");
    }
    plain = word(plain, engine.model(), "MODEL");
    plain = word(plain, String.valueOf(engine.maxModelLen()), "CONTEXT");
    return comparison == Request.Comparison.ANY_NUMBERS
        ? NUMBER.matcher(plain).replaceAll("N")
        : plain;
  }

  private static String word(String text, String word, String instead) {
    return text.replaceAll("(?<![\\w])" + Pattern.quote(word) + "(?![\\w])", instead);
  }
}
