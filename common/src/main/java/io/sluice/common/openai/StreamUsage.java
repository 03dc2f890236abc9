package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where a stream reports its usage. */
public enum StreamUsage {
  /** It does not. */
  NOWHERE,

  /** In a chunk of its own, after all choices have ended. */
  AT_THE_END,

  /** In every chunk, besides the one at the end. */
  IN_EACH_CHUNK;

  private static final String OPTIONS = "stream_options";
  private static final String AT_END = "include_usage";
  private static final String CONTINUOUS = "continuous_usage_stats";

  /** Returns what the body of a request asks for. */
  static StreamUsage askedBy(JsonNode body) {
    JsonNode options = body.path(OPTIONS);
    if (!options.path(AT_END).asBoolean(false)) {
      return NOWHERE;
    }
    return options.path(CONTINUOUS).asBoolean(false) ? IN_EACH_CHUNK : AT_THE_END;
  }

  /**
   * Makes the body of a request ask for a stream that reports its usage at the end, and keeps its
   * other options.
   *
   * @return the options, for more of them
   */
  public static ObjectNode askFor(ObjectNode body) {
    ObjectNode options =
        body.put("stream", true).get(OPTIONS) instanceof ObjectNode known
            ? known
            : body.putObject(OPTIONS);
    return options.put(AT_END, true);
  }
}
