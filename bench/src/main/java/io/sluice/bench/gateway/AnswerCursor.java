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
  /** Returns the path at which a gateway continues behind what was read. */
  String path();

  /** Returns the headers with which it continues. */
  default Map<String, String> headers() {
    return Map.of();
  }

  /**
   * Reads a response with status 200 or 204.
   *
   * @throws IOException if the connection breaks; what was read before counts
   */
  void read(HttpResponse<InputStream> response) throws IOException;

  /** Returns what was read so far. */
  CursorState state();

  /** Returns whether the end of the answer was read. */
  default boolean isOver() {
    return state().isOver();
  }

  /**
   * Returns whether the answer may be unknown to a gateway that works, since nothing is written
   * yet.
   */
  boolean mayBeUnknown();

  /** Returns what was read, each piece as the bytes that every gateway has to send. */
  default List<String> items() {
    return state().items();
  }

  /** Returns the text and the end that a client has. */
  default ClientText text() {
    return state().text();
  }

  /** Returns what no gateway may do, such as a gap. */
  default List<String> problems() {
    return state().problems();
  }
}
