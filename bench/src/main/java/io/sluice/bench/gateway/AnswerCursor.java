package io.sluice.bench.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

/**
 * One of the ways to read an answer piece by piece. It remembers how far it has read, so that any
 * gateway can continue. Used by one thread.
 */
public interface AnswerCursor {
  /** The path at which a gateway continues behind what was read. */
  String path();

  /** The headers with which it continues. */
  default Map<String, String> headers() {
    return Map.of();
  }

  /**
   * Reads a response with status 200 or 204.
   *
   * @throws IOException if the connection breaks; what was read before counts
   */
  void read(HttpResponse<InputStream> response) throws IOException;

  /** What was read so far. */
  CursorState state();

  /** Whether the end of the answer was read. */
  default boolean isOver() {
    return state().isOver();
  }

  /** Whether the answer may be unknown to a gateway that works, since nothing is written yet. */
  boolean mayBeUnknown();

  /** What was read, each piece as the bytes that every gateway has to send. */
  default List<String> items() {
    return state().items();
  }

  /** The text and the end that a client has. */
  default ClientText text() {
    return state().text();
  }

  /** What no gateway may do, such as a gap. */
  default List<String> problems() {
    return state().problems();
  }
}
