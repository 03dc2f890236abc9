package io.sluice.gateway.attach;

import io.micronaut.http.HttpParameters;
import io.sluice.gateway.http.ApiException;
import java.util.List;
import java.util.Optional;

/**
 * What a reader of a log asks for.
 *
 * @param after the position that the reader has reached; empty for the beginning
 * @param isFromNow whether only what comes from now on is wanted
 * @param cursor what the reader got with the last response
 */
record LogQuery(Optional<Position> after, boolean isFromNow, Live live, Optional<String> cursor) {
  static final String OFFSET = "offset";
  private static final String LIVE = "live";
  private static final String CURSOR = "cursor";
  private static final String BEGINNING = "-1";
  private static final String NOW = "now";

  /** Whether, and how, the reader waits for what does not exist yet. */
  enum Live {
    NO,
    LONG_POLL,
    SSE
  }

  /**
   * Reads the parameters of a request.
   *
   * @throws ApiException if one of them is not valid
   */
  static LogQuery of(HttpParameters parameters) {
    Optional<String> offset = single(parameters, OFFSET);
    Live live = live(single(parameters, LIVE));
    if (offset.isEmpty() && live != Live.NO) {
      throw Problems.invalid(OFFSET, "is required with " + LIVE);
    }
    boolean isFromNow = offset.equals(Optional.of(NOW));
    Optional<Position> after =
        offset.filter(text -> !isFromNow && !text.equals(BEGINNING)).map(LogQuery::position);
    Optional<String> cursor = single(parameters, CURSOR);
    if (!cursor.map(StreamCursors::isCursor).orElse(Boolean.TRUE)) {
      throw Problems.invalid(CURSOR, "is not one that a response had");
    }
    return new LogQuery(after, isFromNow, live, cursor);
  }

  private static Optional<String> single(HttpParameters parameters, String name) {
    List<String> values = parameters.getAll(name);
    if (values.size() > 1) {
      throw Problems.invalid(name, "must be given once");
    }
    return values.stream().findFirst();
  }

  private static Live live(Optional<String> mode) {
    return switch (mode.orElse("")) {
      case "long-poll" -> Live.LONG_POLL;
      case "sse" -> Live.SSE;
      case "" -> Live.NO;
      default -> throw Problems.invalid(LIVE, "must be long-poll or sse");
    };
  }

  private static Position position(String text) {
    return Position.parse(text)
        .orElseThrow(() -> Problems.invalid(OFFSET, "must be -1, now, or one that a response had"));
  }
}
