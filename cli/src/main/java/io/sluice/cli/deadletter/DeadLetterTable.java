package io.sluice.cli.deadletter;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.config.TextTable;
import io.sluice.producer.deadletter.DeadLetter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Dead letters as text. The texts of requests are not shown, except where an error quotes them. */
final class DeadLetterTable {
  private DeadLetterTable() {}

  /** Returns a heading and a line per dead letter, each with its line end. */
  static String of(List<DeadLetter> deadLetters) {
    TextTable table =
        new TextTable()
            .left("time", "id", "error", "model", "tenant")
            .right("attempts", "tokens")
            .left("redriven as");
    for (DeadLetter deadLetter : deadLetters) {
      table.row(
          time(deadLetter.epochMillis()),
          deadLetter.requestId(),
          deadLetter.code(),
          deadLetter.model().isEmpty() ? "-" : deadLetter.model(),
          deadLetter.tenant(),
          deadLetter.history().attempts(),
          deadLetter.history().tokens(),
          deadLetter.redrivenAs().orElse("-"));
    }
    return table.toString();
  }

  /** Returns everything about a dead letter, except its body. */
  static String of(DeadLetter deadLetter) {
    TextTable table = new TextTable().left("", "");
    table.row("request", deadLetter.requestId());
    deadLetter
        .redriveOf()
        .ifPresent(
            first -> table.row("", "redrive %d of %s".formatted(deadLetter.redriveCount(), first)));
    deadLetter.redrivenAs().ifPresent(id -> table.row("redriven", "as %s".formatted(id)));
    table.row("error", "%s: %s".formatted(deadLetter.code(), deadLetter.message()));
    table.row(
        "sent", "%s, as %s".formatted(time(deadLetter.sentEpochMillis()), deadLetter.source()));
    table.row("died", time(deadLetter.epochMillis()));
    table.row(
        "for",
        "model %s, tenant %s, %s, %d bytes"
            .formatted(
                deadLetter.model().isEmpty() ? "unknown" : deadLetter.model(),
                deadLetter.tenant(),
                deadLetter.priority().headerValue(),
                deadLetter.bodyBytes()));
    table.line("headers");
    deadLetter.headers().forEach((name, value) -> table.line("  %s: %s".formatted(name, value)));
    AttemptHistory history = deadLetter.history();
    table.row(
        "history",
        "%d attempts, %d tokens in the log".formatted(history.attempts(), history.tokens()));
    return table + attempts(history.last());
  }

  private static String attempts(List<PastAttempt> attempts) {
    if (attempts.isEmpty()) {
      return "";
    }
    TextTable table =
        new TextTable()
            .right("  attempt")
            .left("worker", "start")
            .right("ms", "tokens")
            .left("lease", "end");
    for (PastAttempt past : attempts) {
      boolean isTimed = past.startEpochMillis() > 0;
      table.row(
          past.attempt(),
          past.worker(),
          isTimed ? time(past.startEpochMillis()) : "-",
          isTimed ? past.endEpochMillis() - past.startEpochMillis() : "-",
          past.tokens(),
          past.lease(),
          end(past.end()));
    }
    return table.toString();
  }

  private static String end(AttemptEnd end) {
    return end.reason().name().toLowerCase(Locale.ROOT)
        + (end.code().isEmpty() ? "" : " " + end.code())
        + (end.status() == 0 ? "" : " " + end.status())
        + (end.message().isEmpty() ? "" : ": " + end.message());
  }

  private static String time(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
