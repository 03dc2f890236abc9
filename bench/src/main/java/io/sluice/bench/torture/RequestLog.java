package io.sluice.bench.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Everything that Kafka holds of one request. Guarded by its {@link Journal}. */
final class RequestLog {
  private final List<ReplyLine> replies = new ArrayList<>();
  private final Reading reading = new Reading();
  private OptionalLong appendMillis = OptionalLong.empty();
  private OptionalLong cancelMillis = OptionalLong.empty();
  private final List<String> failures = new ArrayList<>();
  private int deadLetters;

  void reply(ReplyLine line) {
    replies.add(line);
    reading.next(line);
  }

  /** A request record; only the first one counts. */
  void appended(long millis) {
    if (appendMillis.isEmpty() || millis < appendMillis.getAsLong()) {
      appendMillis = OptionalLong.of(millis);
    }
  }

  void cancelled(long millis) {
    if (cancelMillis.isEmpty()) {
      cancelMillis = OptionalLong.of(millis);
    }
  }

  void failed(String outcome) {
    failures.add(outcome);
  }

  void deadLetter() {
    deadLetters++;
  }

  List<ReplyLine> replies() {
    return replies;
  }

  Reading reading() {
    return reading;
  }

  OptionalLong appendMillis() {
    return appendMillis;
  }

  OptionalLong cancelMillis() {
    return cancelMillis;
  }

  /** Outcomes in which a worker said that its attempt failed. */
  List<String> failures() {
    return failures;
  }

  int deadLetters() {
    return deadLetters;
  }
}
