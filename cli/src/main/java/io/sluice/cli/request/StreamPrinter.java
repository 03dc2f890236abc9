package io.sluice.cli.request;

import io.sluice.cli.Terminal;
import io.sluice.config.PlainText;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Prints a stream as it arrives: text on stdout, everything else on stderr. */
public final class StreamPrinter {
  /** Longer than any deadline with its grace period; the stream ends itself before that. */
  private static final Duration LONGEST_SILENCE = Duration.ofDays(2);

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean isRaw;
  private boolean isInLine;

  public StreamPrinter(PrintWriter out, PrintWriter err, boolean isRaw) {
    this.out = out;
    this.err = err;
    this.isRaw = isRaw;
  }

  /** Reads the stream to its end; returns the whole text, or empty if it failed. */
  public Optional<String> print(ReplyStream stream) throws InterruptedException {
    Optional<String> text = Optional.empty();
    try {
      Optional<ReplyEvent> event = stream.next(LONGEST_SILENCE);
      while (event.isPresent()) {
        text = print(event.get());
        event = stream.next(LONGEST_SILENCE);
      }
    } catch (TimeoutException e) {
      note("gave up waiting: " + e.getMessage());
    }
    return text;
  }

  private Optional<String> print(ReplyEvent event) {
    switch (event) {
      case ReplyEvent.Tokens tokens -> {
        if (isRaw) {
          raw("tokens", tokens.json());
        } else {
          String text = tokens.text();
          out.print(text);
          out.flush();
          isInLine = isInLine || !text.isEmpty();
        }
      }
      case ReplyEvent.Resumed resumed ->
          note(
              "attempt %d continues after %d tokens"
                  .formatted(resumed.attempt(), resumed.tokensKept()));
      case ReplyEvent.Restarted restarted ->
          note(
              "attempt %d begins again; the %d tokens above are discarded"
                  .formatted(restarted.attempt(), restarted.tokensDiscarded()));
      case ReplyEvent.Completed completed -> {
        complete(completed.answer());
        return Optional.of(completed.answer().text());
      }
      case ReplyEvent.Failed failed -> {
        if (isRaw) {
          raw("error", failed.json());
        }
        note("sluice: " + failed.kind().code() + ": " + failed.message());
      }
    }
    return Optional.empty();
  }

  private void complete(Answer answer) {
    if (isRaw) {
      raw("final", answer.json());
      return;
    }
    endLine();
    if (Terminal.isInteractive()) {
      note(summary(answer));
    }
  }

  static String summary(Answer answer) {
    StringBuilder line = new StringBuilder("[");
    line.append(answer.usage().completionTokens()).append(" tokens");
    answer
        .firstTokenMillis()
        .ifPresent(ms -> line.append(", first after ").append(ms).append(" ms"));
    answer.worker().ifPresent(worker -> line.append(", from ").append(worker));
    if (answer.fallback()) {
      line.append(", by fallback model ").append(answer.model().orElse("unknown"));
    }
    return line.append("]").toString();
  }

  private void raw(String kind, String json) {
    out.println(kind + "\t" + json);
    out.flush();
  }

  private void note(String line) {
    endLine();
    err.println(PlainText.line(line));
    err.flush();
  }

  private void endLine() {
    if (isInLine) {
      out.println();
      out.flush();
      isInLine = false;
    }
  }
}
