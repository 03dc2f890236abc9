package io.sluice.bench.kills;

import java.util.Map;

/**
 * What one client saw of its stream.
 *
 * @param texts by choice
 * @param longestGapMillis the longest time between two events with tokens
 */
record Sighting(End end, int status, Map<Integer, String> texts, long longestGapMillis) {
  /** How a stream ended. */
  enum End {
    /** With {@code [DONE]}. */
    DONE,
    /** With an error event. */
    ERROR_EVENT,
    /** An error instead of a stream. */
    STATUS,
    /** The connection broke. */
    BROKEN,
    /** In good order, but neither with {@code [DONE]} nor with an error. */
    SILENT
  }

  Sighting {
    texts = Map.copyOf(texts);
  }
}
