package io.sluice.router.classify;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells code by how a prompt begins: a code block, or two different signs of it. What is taken for
 * code by mistake only prefers an engine whose draft model suits it less.
 */
final class CodeText {
  /** The kind, as a worker names it for its draft model. */
  static final String CODE = "code";

  /** About 50 tokens. */
  private static final int LOOKED_AT_CHARACTERS = 200;

  private static final Pattern BLOCK = Pattern.compile("```");

  private static final List<Pattern> SIGNS =
      List.of(
          sign(
              "\\b(python|javascript|typescript|java|kotlin|rust|golang|c\\+\\+|sql|bash|html)\\b"),
          sign("\\b(code|function|method|script|program|class|regex|refactor\\w*|compil\\w*)\\b"),
          sign("\\b(bug|debug\\w*|stack ?trace|exception|unit tests?|pull request|api)\\b"),
          sign("\\b(def|import|public|private|static|void|const|return|include|struct)\\b"),
          sign("(\\{\\s*$|;\\s*$|=>|->|::|==|!=|\\w+\\([\\w, ]*\\)|^\\s*(//|#include|#!))"),
          sign("\\bselect\\b.{1,120}\\bfrom\\b"));

  private CodeText() {}

  static Optional<String> kindOf(PromptText prompt) {
    return prompt.beginnings(LOOKED_AT_CHARACTERS).stream().anyMatch(CodeText::isCode)
        ? Optional.of(CODE)
        : Optional.empty();
  }

  private static boolean isCode(String beginning) {
    return BLOCK.matcher(beginning).find()
        || SIGNS.stream().filter(sign -> sign.matcher(beginning).find()).limit(2).count() == 2;
  }

  private static Pattern sign(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
  }
}
