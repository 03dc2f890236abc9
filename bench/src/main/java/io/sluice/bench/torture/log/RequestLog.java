package io.sluice.bench.torture.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** All records of one request. Guarded by its {@link Journal}. */
public final class RequestLog {
  /** The records on one reply topic, and the answer that a reader of it sees. */
  public static final class OnTopic {
    private final List<ReplyRecord> lines = new ArrayList<>();
    private final IndependentFold reading = new IndependentFold();

    public List<ReplyRecord> lines() {
      return lines;
    }

    public IndependentFold reading() {
      return reading;
    }

    public boolean has(String kind) {
      return lines.stream().anyMatch(line -> line.kind().equals(kind));
    }
  }

  private final Map<String, OnTopic> byTopic = new LinkedHashMap<>();
  private OptionalLong seenMillis = OptionalLong.empty();
  private OptionalLong cancelMillis = OptionalLong.empty();
  private final List<String> failures = new ArrayList<>();
  private boolean isCompleted;
  private final List<String> deadLetters = new ArrayList<>();

  public void reply(ReplyRecord line) {
    OnTopic at = at(line.topic());
    at.lines.add(line);
    at.reading.next(line);
  }

  /** Notes a request record; only the first one counts. */
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

  public void deadLetter(String errorCode) {
    deadLetters.add(errorCode);
  }

  /** Returns the request's records on a reply topic. */
  public OnTopic at(String topic) {
    return byTopic.computeIfAbsent(topic, none -> new OnTopic());
  }

  /** Returns the records of all reply topics. */
  public List<ReplyRecord> allReplies() {
    return byTopic.values().stream().flatMap(at -> at.lines.stream()).toList();
  }

  /** Returns the reply topics that have records of the request. */
  public List<String> topics() {
    return byTopic.entrySet().stream()
        .filter(at -> !at.getValue().lines.isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns when its request record was first seen; empty if there is none. */
  public OptionalLong seenMillis() {
    return seenMillis;
  }

  public OptionalLong cancelMillis() {
    return cancelMillis;
  }

  /** Returns the outcomes in which workers reported that an attempt failed. */
  public List<String> failures() {
    return failures;
  }

  /** Returns whether a worker reported that it wrote the end. */
  public boolean isCompleted() {
    return isCompleted;
  }

  /** Returns the error codes of its dead letters. */
  public List<String> deadLetters() {
    return deadLetters;
  }
}
