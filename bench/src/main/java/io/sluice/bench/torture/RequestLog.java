package io.sluice.bench.torture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Everything that Kafka holds of one request. Guarded by its {@link Journal}. */
final class RequestLog {
  /** The records of one reply topic, and what a reader of it makes of them. */
  static final class At {
    private final List<ReplyLine> lines = new ArrayList<>();
    private final Reading reading = new Reading();

    List<ReplyLine> lines() {
      return lines;
    }

    Reading reading() {
      return reading;
    }

    boolean has(String kind) {
      return lines.stream().anyMatch(line -> line.kind().equals(kind));
    }
  }

  private final Map<String, At> byTopic = new LinkedHashMap<>();
  private OptionalLong seenMillis = OptionalLong.empty();
  private OptionalLong cancelMillis = OptionalLong.empty();
  private final List<String> failures = new ArrayList<>();
  private boolean isCompleted;
  private final List<String> letters = new ArrayList<>();

  void reply(ReplyLine line) {
    At at = at(line.topic());
    at.lines.add(line);
    at.reading.next(line);
  }

  /** A request record; only the first one counts. */
  void appended(long millis) {
    if (seenMillis.isEmpty()) {
      seenMillis = OptionalLong.of(millis);
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

  void completed() {
    isCompleted = true;
  }

  void letter(String errorCode) {
    letters.add(errorCode);
  }

  /** What is on a reply topic. */
  At at(String topic) {
    return byTopic.computeIfAbsent(topic, none -> new At());
  }

  /** The records of all reply topics. */
  List<ReplyLine> allReplies() {
    return byTopic.values().stream().flatMap(at -> at.lines.stream()).toList();
  }

  /** Where there are any of its records. */
  List<String> topics() {
    return byTopic.entrySet().stream()
        .filter(at -> !at.getValue().lines.isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** When its request record was seen first; empty if there is none. */
  OptionalLong seenMillis() {
    return seenMillis;
  }

  OptionalLong cancelMillis() {
    return cancelMillis;
  }

  /** Outcomes in which a worker said that its attempt failed. */
  List<String> failures() {
    return failures;
  }

  /** Whether a worker has said that it wrote the end. */
  boolean isCompleted() {
    return isCompleted;
  }

  /** The error codes of its dead letters. */
  List<String> letters() {
    return letters;
  }
}
