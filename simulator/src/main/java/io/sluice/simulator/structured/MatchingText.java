package io.sluice.simulator.structured;

import com.github.curiousoddman.rgxgen.RgxGen;
import com.github.curiousoddman.rgxgen.config.RgxGenOption;
import com.github.curiousoddman.rgxgen.config.RgxGenProperties;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Makes one text that a regular expression matches as a whole, always the same one. */
public final class MatchingText {

  private static final int TRIES = 200;

  /** How often {@code *} and {@code +} repeat at most: a model soon comes to an end too. */
  private static final int MOST_REPETITIONS = 12;

  /** Repetitions multiply when they nest. */
  private static final int MOST_CHARS = 100_000;

  /** As Java and Python write it; names mean nothing to what matches. */
  private static final Pattern GROUP_NAME = Pattern.compile("\\(\\?P?<[A-Za-z]\\w*>");

  private MatchingText() {}

  /**
   * Returns a text for an expression in the syntax that Java and Python share.
   *
   * @return empty when none was found, for instance because of a lookahead or a word boundary
   * @throws IllegalArgumentException if it is no regular expression; the message says why
   */
  public static Optional<String> of(String regex) {
    return of(regex, 0, MOST_CHARS);
  }

  /** Returns a text of a length within bounds, in Unicode characters. */
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
      // What the generator does not understand is as good as not found.
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
