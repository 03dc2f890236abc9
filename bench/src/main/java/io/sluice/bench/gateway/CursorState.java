package io.sluice.bench.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/** What a cursor has read. Used by one thread. */
public final class CursorState {
  private final List<String> items = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final ClientText text = new ClientText();
  private boolean isOver;

  /** Takes one event of a stream. */
  @FunctionalInterface
  interface Taker {
    /** Returns whether the stream may end after the event. */
    boolean take(SseEvent event) throws IOException;
  }

  /**
   * Reads a stream of events to its end.
   *
   * @param last what was read last, for the report of a problem
   */
  void events(HttpResponse<InputStream> response, Taker taker, Supplier<String> last)
      throws IOException {
    try (var events = new SseBody(response.body(), PersistentReader.SILENCE)) {
      boolean mayEnd = false;
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        mayEnd = taker.take(event.get());
      }
      if (!mayEnd) {
        problem("the stream ended after %s without an end or an error".formatted(last.get()));
      }
    }
  }

  void item(String bytes) {
    items.add(bytes);
  }

  void problem(String what) {
    problems.add(what);
  }

  void over(boolean isNowOver) {
    isOver = isNowOver;
  }

  boolean isOver() {
    return isOver;
  }

  List<String> items() {
    return Collections.unmodifiableList(items);
  }

  ClientText text() {
    return text;
  }

  List<String> problems() {
    return List.copyOf(problems);
  }
}
