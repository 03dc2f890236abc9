package io.sluice.gateway.attach;

import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.EventStream;
import java.time.Duration;
import java.util.Optional;

/**
 * Writes the items of an answer as server-sent events whose ids are their positions. A client that
 * leaves does not affect the request. Used by one thread.
 */
final class StreamedEvents {
  private final AnswerReader reader;
  private final EventStream events;
  private final Duration keepAlive;
  private final Duration longest;

  /**
   * @param longest how long at most it writes
   */
  StreamedEvents(AnswerReader reader, EventStream events, Duration keepAlive, Duration longest) {
    this.longest = longest;
    this.reader = reader;
    this.events = events;
    this.keepAlive = keepAlive;
  }

  /**
   * Writes until the end of the answer, until the client leaves, or until its time is over.
   *
   * @param first an item that was read before
   */
  void write(Optional<Item> first) throws InterruptedException {
    long endNanos = System.nanoTime() + longest.toNanos();
    Optional<Item> item = first;
    try {
      while (item.isEmpty() ? !reader.isEnded() && events.keepAlive() : write(item.get())) {
        if (System.nanoTime() - endNanos >= 0) {
          events.comment("continue after the last id");
          return;
        }
        item = reader.next(keepAlive);
      }
    } catch (UnreadableException e) {
      // Without an id: the client continues behind the last event that it has.
      events.data(ApiError.of(e.kind(), e.problem()).toText());
    }
  }

  private boolean write(Item item) throws InterruptedException {
    String id = item.position().text();
    return item.name().isEmpty()
        ? events.data(id, item.data())
        : events.event(id, item.name(), item.data());
  }
}
