package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.direct.DirectCaller;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.direct.WholeAnswer;
import io.sluice.bench.stat.Samples;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What callers got, step by step.
 *
 * @param rows one for each step
 * @param problems what was lost, failed or differs
 */
record UpgradeReport(List<Row> rows, List<String> problems) {
  private static final int P50 = 50;
  private static final int P99 = 99;

  /** The requests that were sent in one step. */
  record Row(
      String step, int streams, int lines, int failed, int sentAgain, double p50, double p99) {}

  UpgradeReport {
    rows = List.copyOf(rows);
    problems = List.copyOf(problems);
  }

  /** Compares all answers with those of an undisturbed engine. */
  static UpgradeReport of(List<String> steps, List<Reply> replies)
      throws IOException, InterruptedException {
    List<String> problems = new ArrayList<>();
    List<String> expected = expected(replies);
    List<Reply> bad = new ArrayList<>();
    for (int at = 0; at < replies.size(); at++) {
      Reply reply = replies.get(at);
      String step = steps.get(reply.step());
      if (reply.error().isPresent()) {
        problems.add("%s, %s: %s".formatted(step, reply.way(), reply.error().get()));
        bad.add(reply);
      } else if (!reply.text().equals(expected.get(at))) {
        problems.add(
            "%s, %s: another text%n  got      %s%n  expected %s"
                .formatted(step, reply.way(), reply.text(), expected.get(at)));
        bad.add(reply);
      }
    }
    List<Row> rows = new ArrayList<>();
    for (int number = 0; number < steps.size(); number++) {
      int step = number;
      rows.add(
          row(
              steps.get(step),
              replies.stream().filter(reply -> reply.step() == step).toList(),
              (int) bad.stream().filter(reply -> reply.step() == step).count()));
    }
    return new UpgradeReport(rows, problems);
  }

  private static Row row(String step, List<Reply> replies, int failed) {
    var first = new Samples();
    replies.forEach(reply -> reply.firstMillis().ifPresent(first::add));
    int lines = (int) replies.stream().filter(one -> one.way() == Reply.Way.BATCH).count();
    return new Row(
        step,
        replies.size() - lines,
        lines,
        failed,
        replies.stream().mapToInt(Reply::sentAgain).sum(),
        first.percentile(P50),
        first.percentile(P99));
  }

  /** Returns the texts of an undisturbed engine, in the order of the replies. */
  private static List<String> expected(List<Reply> replies)
      throws IOException, InterruptedException {
    List<Question> questions = new ArrayList<>();
    for (Reply reply : replies) {
      ObjectNode body = reply.body();
      questions.add(new Question(Integer.toString(questions.size()), "/v1/chat/completions", body));
    }
    String model = UpgradePool.ENGINES.model();
    try (var engine = QuickEngine.start(model, UpgradePool.ENGINES.maxModelLen());
        var caller = new DirectCaller()) {
      Map<String, DirectReply> answers = caller.ask(questions, question -> engine.uri());
      return questions.stream()
          .map(question -> Objects.requireNonNull(answers.get(question.id())).body())
          .map(body -> WholeAnswer.of(body).texts().getOrDefault(0, ""))
          .toList();
    }
  }

  /** Returns the table as it is printed. */
  String text() {
    var table =
        new TextTable()
            .left("step")
            .right(
                "streams",
                "batch lines",
                "failed",
                "sent again",
                "p50 first token",
                "p99 first token");
    for (Row row : rows) {
      table.row(
          row.step(),
          row.streams(),
          row.lines(),
          row.failed(),
          row.sentAgain(),
          Math.round(row.p50()) + " ms",
          Math.round(row.p99()) + " ms");
    }
    return table.toString();
  }
}
