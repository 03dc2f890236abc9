package io.sluice.router.classify;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The pool's tiers, and the thresholds that choose a tier for a request that names none.
 *
 * @param tiers from the quickest to the most precise; empty in a pool without tiers
 * @param longWords a prompt of more words does not go to the quickest tier
 * @param complexWords a prompt of more words is complex
 * @param longOutputTokens a request for more output does not go to the quickest tier
 * @param complexOutputTokens a request for more output is complex and never goes there
 * @param exactTemperature a complex request with at most this temperature goes to the most precise
 *     tier
 */
public record ClassifierRules(
    List<String> tiers,
    int longWords,
    int complexWords,
    int longOutputTokens,
    int complexOutputTokens,
    double exactTemperature) {
  /** The tiers in the form of the command line. */
  public static final String STANDARD_TIERS = "fast,balanced,precise";

  public ClassifierRules {
    tiers = List.copyOf(tiers);
    if (tiers.contains("auto") || tiers.stream().distinct().count() < tiers.size()) {
      throw new IllegalArgumentException(
          "tiers must be distinct names other than 'auto', not " + tiers);
    }
  }

  /**
   * Parses rules in the form of the command line.
   *
   * @param tiers names, the quickest first; empty for none
   * @param words {@code LONG,COMPLEX}
   * @param outputTokens {@code LONG,COMPLEX}
   * @throws IllegalArgumentException if one of them does not have this form
   */
  public static ClassifierRules parse(
      String tiers, String words, String outputTokens, double exactTemperature) {
    List<String> names =
        Arrays.stream(tiers.split(",", -1))
            .map(name -> name.strip().toLowerCase(Locale.ROOT))
            .filter(name -> !name.isEmpty())
            .toList();
    int[] wordLimits = pair("tier words", words);
    int[] outputLimits = pair("tier output", outputTokens);
    return new ClassifierRules(
        names, wordLimits[0], wordLimits[1], outputLimits[0], outputLimits[1], exactTemperature);
  }

  /**
   * Returns the order in which other tiers serve a request when its own has no room: the nearest
   * one first, and of two equally near ones the more precise one.
   */
  List<String> from(int tier) {
    return IntStream.range(0, tiers.size())
        .boxed()
        .sorted(
            Comparator.<Integer>comparingInt(other -> Math.abs(other - tier))
                .thenComparing(Comparator.reverseOrder()))
        .map(tiers::get)
        .toList();
  }

  private static int[] pair(String what, String text) {
    if (!text.matches("\\d{1,8},\\d{1,8}")) {
      throw new IllegalArgumentException(
          "%s must be two numbers such as 150,300, not '%s'".formatted(what, text));
    }
    int[] pair = Arrays.stream(text.split(",", -1)).mapToInt(Integer::parseInt).toArray();
    if (pair[0] > pair[1]) {
      throw new IllegalArgumentException(
          "%s must have the smaller number first, not '%s'".formatted(what, text));
    }
    return pair;
  }
}
