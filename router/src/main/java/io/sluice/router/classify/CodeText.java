package io.sluice.router.classify;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Detects code from the start of a prompt: a code block, or two different signs of code. A false
 * positive only prefers an engine whose draft model suits the text less. It runs for every request,
 * so it reads the text once, word by word.
 */
final class CodeText {
  /** The kind of text, as a worker names it for its draft model. */
  static final String CODE = "code";

  /** About 50 tokens. */
  private static final int LOOKED_AT_CHARACTERS = 200;

  private static final String BLOCK = "```";

  private enum Sign {
    LANGUAGE,
    SUBJECT,
    TROUBLE,
    KEYWORD,
    PUNCTUATION,
    QUERY
  }

  private static final Map<String, Sign> WORDS =
      words(
          Map.of(
              Sign.LANGUAGE,
              "python javascript typescript java kotlin rust golang sql bash html c++",
              Sign.SUBJECT,
              "code function functions method script program class regex",
              Sign.TROUBLE,
              "bug stacktrace exception api",
              Sign.KEYWORD,
              "def import public private static void const return include struct"));

  /** Words that start in this way, whatever follows. */
  private static final Map<String, Sign> STEMS =
      Map.of("refactor", Sign.SUBJECT, "compil", Sign.SUBJECT, "debug", Sign.TROUBLE);

  private static final Map<String, Sign> PHRASES =
      Map.of(
          "stack trace", Sign.TROUBLE,
          "unit test", Sign.TROUBLE,
          "pull request", Sign.TROUBLE);

  private static final List<String> OPERATORS = List.of("=>", "->", "::", "==", "!=", "();");
  private static final List<String> LINE_STARTS = List.of("//", "#include", "#!");
  private static final List<String> LINE_ENDS = List.of("{", ";");

  private CodeText() {}

  static Optional<String> kindOf(PromptText prompt) {
    return prompt.beginnings(LOOKED_AT_CHARACTERS).stream().anyMatch(CodeText::isCode)
        ? Optional.of(CODE)
        : Optional.empty();
  }

  private static boolean isCode(String beginning) {
    if (beginning.contains(BLOCK)) {
      return true;
    }
    String text = beginning.toLowerCase(Locale.ROOT);
    Set<Sign> signs = EnumSet.noneOf(Sign.class);
    addWords(text, signs);
    PHRASES.forEach((phrase, sign) -> addIf(text.contains(phrase), sign, signs));
    addIf(isPunctuated(text), Sign.PUNCTUATION, signs);
    return signs.size() >= 2;
  }

  private static void addWords(String text, Set<Sign> signs) {
    List<String> words = wordsOf(text);
    for (String word : words) {
      Sign sign = WORDS.get(word);
      if (sign != null) {
        signs.add(sign);
      }
      STEMS.forEach((stem, of) -> addIf(word.startsWith(stem), of, signs));
    }
    int select = words.indexOf("select");
    addIf(select >= 0 && words.lastIndexOf("from") > select, Sign.QUERY, signs);
  }

  private static List<String> wordsOf(String text) {
    List<String> words = new ArrayList<>();
    int from = 0;
    for (int at = 0; at <= text.length(); at++) {
      if (at == text.length() || !isPartOfWord(text.charAt(at))) {
        if (at > from) {
          words.add(text.substring(from, at));
        }
        from = at + 1;
      }
    }
    return words;
  }

  private static boolean isPartOfWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '+';
  }

  private static boolean isPunctuated(String text) {
    if (OPERATORS.stream().anyMatch(text::contains) || hasCall(text)) {
      return true;
    }
    return text.lines()
        .map(String::strip)
        .anyMatch(
            line ->
                LINE_STARTS.stream().anyMatch(line::startsWith)
                    || LINE_ENDS.stream().anyMatch(line::endsWith));
  }

  /** Returns a name directly followed by a parenthesis, at the end of the word. */
  private static boolean hasCall(String text) {
    for (int open = text.indexOf('('); open > 0; open = text.indexOf('(', open + 1)) {
      if (isPartOfWord(text.charAt(open - 1)) && text.indexOf(')', open) > open) {
        return true;
      }
    }
    return false;
  }

  private static void addIf(boolean isThere, Sign sign, Set<Sign> signs) {
    if (isThere) {
      signs.add(sign);
    }
  }

  private static Map<String, Sign> words(Map<Sign, String> bySign) {
    Map<String, Sign> all = new HashMap<>();
    bySign.forEach((sign, words) -> List.of(words.split(" ", -1)).forEach(w -> all.put(w, sign)));
    return Map.copyOf(all);
  }
}
