package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.producer.reply.Answer;
import io.sluice.verify.http.EngineAnswer;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The first difference between two whole answers to one request, ignoring what always differs. */
final class AnswerDifference {
  /**
   * Engines compute the same token with slightly different results in batches of different sizes.
   */
  private static final double LOGPROB_TOLERANCE = 0.02;

  private static final Set<String> NEVER_THE_SAME =
      Set.of(
          "id",
          "created",
          "system_fingerprint",
          "prompt_tokens_details",
          "completion_tokens_details",
          "metrics",
          "timings");

  private AnswerDifference() {}

  /** Returns the first difference of two answers, with its place; empty if there is none. */
  static Optional<String> between(Answer expected, Answer actual) {
    return between(json(expected), json(actual));
  }

  /** Returns an answer as JSON. */
  static JsonNode json(Answer answer) {
    return EngineAnswer.json(answer.json());
  }

  /** Returns the first difference, with its place; empty if there is none. */
  static Optional<String> between(JsonNode expected, JsonNode actual) {
    return between("", expected, actual);
  }

  private static Optional<String> between(String place, JsonNode expected, JsonNode actual) {
    if (expected.isObject() && actual.isObject()) {
      Set<String> names = new TreeSet<>();
      expected.fieldNames().forEachRemaining(names::add);
      actual.fieldNames().forEachRemaining(names::add);
      names.removeAll(NEVER_THE_SAME);
      return names.stream()
          .flatMap(
              name -> between(place + "/" + name, expected.path(name), actual.path(name)).stream())
          .findFirst();
    }
    if (expected.isArray() && actual.isArray() && expected.size() == actual.size()) {
      for (int i = 0; i < expected.size(); i++) {
        Optional<String> difference = between(place + "/" + i, expected.get(i), actual.get(i));
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
    return areSame(expected, actual)
        ? Optional.empty()
        : Optional.of("%s is %s instead of %s".formatted(place, shown(actual), shown(expected)));
  }

  private static boolean areSame(JsonNode expected, JsonNode actual) {
    if (isNothing(expected)) {
      return isNothing(actual);
    }
    boolean areLogprobs = expected.isDouble() && actual.isNumber();
    return areLogprobs
        ? Math.abs(expected.asDouble() - actual.asDouble()) <= LOGPROB_TOLERANCE
        : expected.equals(actual);
  }

  private static boolean isNothing(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static String shown(JsonNode value) {
    String text = value.isMissingNode() ? "missing" : value.toString();
    return text.length() > 60 ? "..." + text.substring(text.length() - 60) : text;
  }
}
