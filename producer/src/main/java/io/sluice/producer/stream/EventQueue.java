package io.sluice.producer.stream;

import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Events in order, up to a number and a size, and up to what all streams may hold together. The end
 * of a stream always fits, and so does an event for a reader that has read all others. Not
 * thread-safe.
 */
final class EventQueue {
  /** About the size of 256 events of a few tokens. */
  private static final int MAX_BYTES = 256 * 1024;

  /** Of an event next to its JSON and its decoded text, if it has one. */
  static final int EVENT_BYTES = 128;

  /** What each stream may hold even if others hold too much: its reader reads in such pieces. */
  private static final int LEAST_BYTES = 16 * 1024;

  private final int maxEvents;
  private final UnreadBytes.Share share;
  private final Queue<ReplyEvent> events = new ArrayDeque<>();
  private int bytes;
  private boolean isEnded;
  private boolean isDiscarding;

  EventQueue(int maxEvents, UnreadBytes.Share share) {
    this.maxEvents = maxEvents;
    this.share = share;
  }

  /** Adds an event. Returns false if there is no room. */
  boolean offer(ReplyEvent event) {
    boolean isEnd = event instanceof ReplyEvent.Terminal;
    if (isDiscarding && !isEnd) {
      return true;
    }
    int cost = bytesOf(event);
    if (!isEnd && !events.isEmpty() && !fits(cost)) {
      return false;
    }
    share.take(cost);
    events.add(event);
    bytes += cost;
    isEnded = isEnd;
    return true;
  }

  private boolean fits(int cost) {
    return events.size() < maxEvents
        && bytes + cost <= MAX_BYTES
        && (bytes + cost <= LEAST_BYTES || share.hasRoom(cost));
  }

  Optional<ReplyEvent> poll() {
    Optional<ReplyEvent> event = Optional.ofNullable(events.poll());
    event.ifPresent(
        taken -> {
          int cost = bytesOf(taken);
          bytes -= cost;
          share.give(cost);
        });
    return event;
  }

  /**
   * Drops all events and those to come, except the end, which need not be read: it is not counted.
   */
  void discard() {
    isDiscarding = true;
    events.removeIf(event -> !(event instanceof ReplyEvent.Terminal));
    bytes = 0;
    share.close();
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  /** Returns whether the end was added. */
  boolean isEnded() {
    return isEnded;
  }

  private int bytesOf(ReplyEvent event) {
    if (isDiscarding) {
      return 0;
    }
    return EVENT_BYTES
        + switch (event) {
          case ReplyEvent.Tokens tokens ->
              tokens.value().length() + tokens.decodedText().map(String::length).orElse(0);
          case ReplyEvent.Completed completed -> completed.value().length();
          default -> 0;
        };
  }
}
