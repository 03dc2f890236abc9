package io.sluice.bench.torture.batches;

import io.sluice.bench.direct.WholeAnswer;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.Journal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the results of one batch against its input and against the log. Whether the log is right
 * is checked for each of its requests elsewhere.
 */
final class ResultCheck {
  private static final String CANCELLED = "batch_cancelled";

  private final FinishedBatch batch;
  private final Journal journal;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Set<Integer> seen = new HashSet<>();
  private final List<String> found = new ArrayList<>();

  private ResultCheck(FinishedBatch batch, Journal journal) {
    this.batch = batch;
    this.journal = journal;
    List<PlannedLine> lines = batch.plan().lines();
    for (int line = 0; line < lines.size(); line++) {
      if (lines.get(line).body().isPresent()) {
        numbers.put(lines.get(line).customId(), line);
      }
    }
  }

  /** Returns what is wrong. */
  static List<String> check(FinishedBatch batch, Journal journal) {
    var check = new ResultCheck(batch, journal);
    check.status();
    check.counts();
    check.file("output", batch.output());
    check.file("errors", batch.errors());
    check.missing();
    batch.output().forEach(check::answer);
    batch.errors().forEach(check::error);
    return check.found;
  }

  private void must(boolean holds, String otherwise) {
    if (!holds) {
      found.add(otherwise);
    }
  }

  private boolean isCancelled() {
    return batch.status().equals("cancelled");
  }

  private void status() {
    must(
        batch.status().equals("completed") || (isCancelled() && batch.mayBeCancelled()),
        "it ended as " + batch.json());
  }

  private void counts() {
    int total = batch.json().at("/request_counts/total").asInt();
    int completed = batch.json().at("/request_counts/completed").asInt();
    int failed = batch.json().at("/request_counts/failed").asInt();
    must(
        total == batch.plan().lines().size()
            && completed == batch.output().size()
            && failed == batch.errors().size(),
        "its counts are %s, but its %d lines have %d answers and %d errors"
            .formatted(
                batch.json().path("request_counts"),
                batch.plan().lines().size(),
                batch.output().size(),
                batch.errors().size()));
  }

  /** Every result belongs to a line that has no other, and comes in the order of the lines. */
  private void file(String name, List<ResultRow> rows) {
    int last = -1;
    for (ResultRow row : rows) {
      Optional<Integer> number = number(row);
      if (number.isEmpty()) {
        found.add("%s: a result of no line: %s".formatted(name, row.json()));
        continue;
      }
      must(seen.add(number.get()), "line %d has two results".formatted(number.get() + 1));
      must(
          number.get() > last,
          "%s: the result of line %d is behind that of line %d"
              .formatted(name, number.get() + 1, last + 1));
      last = number.get();
    }
  }

  private Optional<Integer> number(ResultRow row) {
    int broken = row.brokenLine();
    return broken > 0 && broken <= batch.plan().lines().size()
        ? Optional.of(broken - 1)
        : Optional.ofNullable(numbers.get(row.customId()));
  }

  private void missing() {
    for (int line = 0; line < batch.plan().lines().size(); line++) {
      must(seen.contains(line), "line %d has no result".formatted(line + 1));
    }
  }

  private void answer(ResultRow row) {
    if (!row.isAnswer()) {
      found.add("the output contains a result that is not an answer: " + row.json());
      return;
    }
    WholeAnswer answer = WholeAnswer.of(row.body());
    journal.see(
        row.requestId(),
        log -> {
          IndependentFold reading = log.at(PlannedRequest.REPLIES).reading();
          int tokens =
              reading.end().map(end -> end.json().at("/usage/completion_tokens").asInt()).orElse(0);
          must(
              reading.isOver()
                  && reading.errorCode().isEmpty()
                  && reading.texts(false).equals(answer.texts())
                  && tokens == answer.usage().completionTokens(),
              "the answer of %s is not that of the log: %s".formatted(row.requestId(), row.json()));
          must(
              isCancelled() || log.cancelMillis().isEmpty(),
              "a gateway cancelled the request " + row.requestId());
          return log;
        });
  }

  private void error(ResultRow row) {
    String code = line(row).map(PlannedLine::code).orElse("");
    if (!code.isEmpty()) {
      must(
          row.lineError().equals(code),
          "the error of line %d should be %s: %s".formatted(row.brokenLine(), code, row.json()));
    } else if (row.lineError().isEmpty()) {
      String logged =
          journal.see(
              row.requestId(),
              log -> log.at(PlannedRequest.REPLIES).reading().errorCode().orElse("no error"));
      must(
          logged.equals(row.requestError()),
          "the log ends with %s: %s".formatted(logged, row.json()));
    } else {
      must(
          isCancelled() && row.lineError().equals(CANCELLED),
          "a request was not answered: " + row.json());
    }
  }

  private Optional<PlannedLine> line(ResultRow row) {
    return number(row).map(batch.plan().lines()::get);
  }
}
