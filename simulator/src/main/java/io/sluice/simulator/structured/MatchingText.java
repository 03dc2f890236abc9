package io.sluice.simulator.structured;

import com.github.curiousoddman.rgxgen.RgxGen;
import com.github.curiousoddman.rgxgen.config.RgxGenOption;
import com.github.curiousoddman.rgxgen.config.RgxGenProperties;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Generates a text that a regular expression matches completely. It is always the same text for the
 * same expression.
 */
public final class MatchingText {

  private static final int TRIES = 200;

  /**
   * The largest number of repetitions for {@code *} and {@code +}: a real model also stops soon.
   */
  private static final int MOST_REPETITIONS = 12;

  /** The limit for nested repetitions, which multiply. */
  private static final int MOST_CHARS = 100_000;

  /** A named group in the syntax of Java or Python. The name has no effect on the match. */
  private static final Pattern GROUP_NAME = Pattern.compile("\\(\\?P?<[A-Za-z]\\w*>");

  private MatchingText() {}

  /**
   * Returns a text for an expression in the syntax that Java and Python share.
   *
   * @return empty if no text was found, for instance because of a lookahead or a word boundary
   * @throws IllegalArgumentException if it is not a regular expression; the message says why
   */
  public static Optional<String> of(String regex) {
    return of(regex, 0, MOST_CHARS);
  }

  /** Returns a text whose length in Unicode characters is within bounds. */
  static Optional<String> of(String regex, int leastChars, int mostChars) {
    String expression = GROUP_NAME.matcher(regex).replaceAll("(");
    Pattern pattern = compiled(expression);
    try {
      RgxGen generator = RgxGen.parse(properties(), expression);
      for (int seed = 0; seed < TRIES; seed++) {
        String text = generator.generate(new Random(seed));
        int chars = text.codePointCount(0, text.length());
        if (chars >= leastChars && chars <= mostChars && pattern.matcher(text).matches()) {
          return Optional.of(text);
        }
      }
    } catch (RuntimeException e) {
      // An expression that the generator does not support is treated as not found.
    }
    return Optional.empty();
  }

  private static Pattern compiled(String expression) {
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          e.getDescription() + " at position " + e.getIndex() + " of " + expression, e);
    }
  }

  private static RgxGenProperties properties() {
    RgxGenProperties properties = new RgxGenProperties();
    RgxGenOption.INFINITE_PATTERN_REPETITION.setInProperties(properties, MOST_REPETITIONS);
    return properties;
  }
}
