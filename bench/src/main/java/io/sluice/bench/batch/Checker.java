package io.sluice.bench.batch;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.direct.Difference;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.WholeAnswer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares the results of a batch with the replies of an undisturbed engine to each of its lines.
 * It uses no class of the product, only what OpenAI's Batch API specifies for these files.
 */
final class Checker {
  private static final Set<String> FIELDS = Set.of("id", "custom_id", "response", "error");
  private static final Set<String> ERROR_FIELDS = Set.of("message", "type", "code");

  private final Map<String, DirectReply> direct;
  private final Verdict verdict = new Verdict();

  private Checker(Map<String, DirectReply> direct) {
    this.direct = direct;
  }

  /**
   * Checks all lines.
   *
   * @param direct the replies of an undisturbed engine to all lines that are valid requests, by id
   */
  static Verdict check(List<PlannedLine> lines, Results results, Map<String, DirectReply> direct) {
    var checker = new Checker(direct);
    results.unreadable().forEach(checker.verdict::found);
    Set<String> known = lines.stream().map(PlannedLine::key).collect(Collectors.toSet());
    results.keys().stream()
        .filter(key -> !known.contains(key))
        .forEach(
            key ->
                checker.verdict.found(
                    "a result of '%s', which is not a line of the input".formatted(key)));
    for (PlannedLine line : lines) {
      List<Result> own = results.of(line.key());
      switch (own.size()) {
        case 0 -> checker.verdict.missing(line);
        case 1 -> checker.check(line, own.getFirst());
        default -> checker.verdict.doubled(line, own.size());
      }
    }
    return checker.verdict;
  }

  private void check(PlannedLine line, Result result) {
    if (!names(result.json()).equals(FIELDS)
        || result.json().path("id").asText().isEmpty()
        || !line.customId().orElse("").equals(result.json().path("custom_id").asText(""))) {
      verdict.found(line, "does not have the form of a result: " + result.json());
      return;
    }
    switch (line.kind().what()) {
      case ANSWER -> checkAnswer(line, result);
      case REFUSAL -> checkRefusal(line, result);
      case NO_REQUEST -> checkNoRequest(line, result);
    }
  }

  private void checkAnswer(PlannedLine line, Result result) {
    DirectReply wanted = direct(line);
    if (!wanted.isAnswer()) {
      verdict.found(line, "is refused by the undisturbed engine too: " + wanted.body());
    } else if (result.isError() || result.status() != 200) {
      verdict.unexpectedError(line, "was not answered: " + result.json());
    } else {
      List<String> differences = differences(wanted.body(), result.body());
      if (differences.isEmpty() && result.json().path("error").isNull()) {
        verdict.equal(WholeAnswer.of(result.body()).usage().completionTokens());
      } else {
        verdict.different(line, "differs: " + String.join("; ", differences));
      }
    }
  }

  private static List<String> differences(JsonNode wantedBody, JsonNode body) {
    WholeAnswer wanted = WholeAnswer.of(wantedBody);
    WholeAnswer answer = WholeAnswer.of(body);
    List<String> differences = new ArrayList<>();
    for (String field : List.of("object", "model")) {
      compare(field, wantedBody.path(field), body.path(field), differences);
    }
    wanted
        .texts()
        .forEach(
            (choice, text) -> {
              String other = answer.texts().getOrDefault(choice, "");
              if (!text.equals(other)) {
                differences.add(Difference.of(choice, text, other));
              }
            });
    compare("choices", wanted.texts().keySet(), answer.texts().keySet(), differences);
    compare("finish reasons", wanted.finishReasons(), answer.finishReasons(), differences);
    compare(
        "prompt tokens", wanted.usage().promptTokens(), answer.usage().promptTokens(), differences);
    compare(
        "output tokens",
        wanted.usage().completionTokens(),
        answer.usage().completionTokens(),
        differences);
    return differences;
  }

  private static void compare(String what, Object wanted, Object found, List<String> differences) {
    if (!wanted.equals(found)) {
      differences.add("%s: %s instead of %s".formatted(what, found, wanted));
    }
  }

  private void checkRefusal(PlannedLine line, Result result) {
    DirectReply wanted = direct(line);
    JsonNode error = result.body().path("error");
    if (wanted.isAnswer()) {
      verdict.found(line, "is answered by the undisturbed engine, but should be refused");
    } else if (result.isError()
        && result.json().path("error").isNull()
        && result.status() == wanted.status()
        && names(error).containsAll(ERROR_FIELDS)
        && !error.path("message").asText().isEmpty()) {
      verdict.expectedError();
    } else {
      verdict.unexpectedError(
          line, "should have got status %d: %s".formatted(wanted.status(), result.json()));
    }
  }

  private void checkNoRequest(PlannedLine line, Result result) {
    JsonNode error = result.json().path("error");
    if (result.isError()
        && result.json().path("response").isNull()
        && error.path("code").asText().equals(line.kind().code().orElseThrow())
        && !error.path("message").asText().isEmpty()) {
      verdict.expectedError();
    } else {
      verdict.unexpectedError(line, "should have been no request: " + result.json());
    }
  }

  private DirectReply direct(PlannedLine line) {
    return Objects.requireNonNull(direct.get(line.key()), line.key());
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new HashSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
