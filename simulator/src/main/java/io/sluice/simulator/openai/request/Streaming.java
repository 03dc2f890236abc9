package io.sluice.simulator.openai.request;

/**
 * Whether and how an answer is streamed.
 *
 * @param on whether the answer is a stream of events
 * @param includeUsage whether a usage frame ends the stream
 * @param continuousUsage whether every frame has usage
 */
public record Streaming(boolean on, boolean includeUsage, boolean continuousUsage) {

  /** Reads {@code stream} and {@code stream_options}. */
  static Streaming of(Fields body, boolean forceUsage) {
    boolean on = body.flag("stream", false);
    if (!body.has("stream_options")) {
      return new Streaming(on, on && forceUsage, false);
    }
    boolean empty =
        body.get("stream_options").isContainerNode() && body.get("stream_options").isEmpty();
    if (!on && empty) {
      return new Streaming(false, false, false);
    }
    if (!on) {
      throw ApiError.badParameter(
          "stream_options", "Stream options can only be defined when `stream=True`.");
    }
    Fields options = body.model("stream_options");
    boolean usage = forceUsage || options.flag("include_usage", false);
    return new Streaming(true, usage, usage && options.flag("continuous_usage_stats", false));
  }
}
