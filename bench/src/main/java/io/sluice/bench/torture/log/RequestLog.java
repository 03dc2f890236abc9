package io.sluice.bench.torture.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Everything that Kafka holds of one request. Guarded by its {@link Journal}. */
public final class RequestLog {
  /** The records of one reply topic, and what a reader of it makes of them. */
  public static final class At {
    private final List<ReplyLine> lines = new ArrayList<>();
    private final Reading reading = new Reading();

    public List<ReplyLine> lines() {
      return lines;
    }

    public Reading reading() {
      return reading;
    }

    public boolean has(String kind) {
      return lines.stream().anyMatch(line -> line.kind().equals(kind));
    }
  }

  private final Map<String, At> byTopic = new LinkedHashMap<>();
  private OptionalLong seenMillis = OptionalLong.empty();
  private OptionalLong cancelMillis = OptionalLong.empty();
  private final List<String> failures = new ArrayList<>();
  private boolean isCompleted;
  private final List<String> letters = new ArrayList<>();

  public void reply(ReplyLine line) {
    At at = at(line.topic());
    at.lines.add(line);
    at.reading.next(line);
  }

  /** A request record; only the first one counts. */
  public void appended(long millis) {
    if (seenMillis.isEmpty()) {
      seenMillis = OptionalLong.of(millis);
    }
  }

  public void cancelled(long millis) {
    if (cancelMillis.isEmpty()) {
      cancelMillis = OptionalLong.of(millis);
    }
  }

  public void failed(String outcome) {
    failures.add(outcome);
  }

  public void completed() {
    isCompleted = true;
  }

  public void letter(String errorCode) {
    letters.add(errorCode);
  }

  /** What is on a reply topic. */
  public At at(String topic) {
    return byTopic.computeIfAbsent(topic, none -> new At());
  }

  /** The records of all reply topics. */
  public List<ReplyLine> allReplies() {
    return byTopic.values().stream().flatMap(at -> at.lines.stream()).toList();
  }

  /** Where there are any of its records. */
  public List<String> topics() {
    return byTopic.entrySet().stream()
        .filter(at -> !at.getValue().lines.isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** When its request record was seen first; empty if there is none. */
  public OptionalLong seenMillis() {
    return seenMillis;
  }

  public OptionalLong cancelMillis() {
    return cancelMillis;
  }

  /** Outcomes in which a worker said that its attempt failed. */
  public List<String> failures() {
    return failures;
  }

  /** Whether a worker has said that it wrote the end. */
  public boolean isCompleted() {
    return isCompleted;
  }

  /** The error codes of its dead letters. */
  public List<String> letters() {
    return letters;
  }
}
