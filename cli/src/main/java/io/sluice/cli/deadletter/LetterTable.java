package io.sluice.cli.deadletter;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.producer.deadletter.DeadLetter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Dead letters as people read them. No text of a request is in it, but what an error quotes. */
final class LetterTable {
  private static final String ROW = "%-24s %-36s %-24s %-16s %-12s %8s %7s %s";

  private LetterTable() {}

  /** A line per letter below a heading, each with its end. */
  static String of(List<DeadLetter> letters) {
    StringBuilder text = new StringBuilder();
    line(
        text,
        ROW.formatted(
            "time", "id", "error", "model", "tenant", "attempts", "tokens", "redriven as"));
    for (DeadLetter letter : letters) {
      line(
          text,
          ROW.formatted(
              time(letter.epochMillis()),
              letter.requestId(),
              letter.code(),
              letter.model().isEmpty() ? "-" : letter.model(),
              letter.tenant(),
              letter.history().attempts(),
              letter.history().tokens(),
              letter.redrivenAs().orElse("-")));
    }
    return text.toString();
  }

  /** All that is known of one letter, but its body. */
  static String of(DeadLetter letter) {
    StringBuilder text = new StringBuilder();
    line(text, "request   %s".formatted(letter.requestId()));
    letter
        .redriveOf()
        .ifPresent(
            first ->
                line(text, "          redrive %d of %s".formatted(letter.redriveCount(), first)));
    letter.redrivenAs().ifPresent(id -> line(text, "redriven  as %s".formatted(id)));
    line(text, "error     %s: %s".formatted(letter.code(), oneLine(letter.message())));
    line(text, "sent      %s, as %s".formatted(time(letter.sentEpochMillis()), letter.source()));
    line(text, "died      %s".formatted(time(letter.epochMillis())));
    line(
        text,
        "for       model %s, tenant %s, %s, %d bytes"
            .formatted(
                letter.model().isEmpty() ? "unknown" : letter.model(),
                letter.tenant(),
                letter.priority().headerValue(),
                letter.bodyBytes()));
    line(text, "headers");
    letter
        .headers()
        .forEach((name, value) -> line(text, "  %s: %s".formatted(name, oneLine(value))));
    text.append(of(letter.history()));
    return text.toString();
  }

  static String of(AttemptHistory history) {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "history   %d attempts, %d tokens in the log"
            .formatted(history.attempts(), history.tokens()));
    if (history.last().isEmpty()) {
      return text.toString();
    }
    String row = "  %7s %-20s %-24s %9s %7s %-36s %s";
    line(text, row.formatted("attempt", "worker", "start", "ms", "tokens", "lease", "end"));
    for (PastAttempt past : history.last()) {
      boolean isTimed = past.startEpochMillis() > 0;
      line(
          text,
          row.formatted(
              past.attempt(),
              past.worker(),
              isTimed ? time(past.startEpochMillis()) : "-",
              isTimed ? past.endEpochMillis() - past.startEpochMillis() : "-",
              past.tokens(),
              past.lease(),
              end(past.end())));
    }
    return text.toString();
  }

  private static String end(AttemptEnd end) {
    return end.reason().name().toLowerCase(Locale.ROOT)
        + (end.code().isEmpty() ? "" : " " + end.code())
        + (end.status() == 0 ? "" : " " + end.status())
        + (end.message().isEmpty() ? "" : ": " + oneLine(end.message()));
  }

  private static String time(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** What others wrote must not break a table or a terminal. */
  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  private static void line(StringBuilder text, String line) {
    text.append(line.stripTrailing()).append(System.lineSeparator());
  }
}
