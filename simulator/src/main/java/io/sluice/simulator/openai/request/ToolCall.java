package io.sluice.simulator.openai.request;

import java.util.Optional;

/**
 * The tool call that an answer makes.
 *
 * @param function the function that the answer calls; empty for an answer without a call
 * @param isNamed whether the request named that function
 * @param isParsed whether a parser looks for calls in a stream, which drops empty text
 */
public record ToolCall(Optional<String> function, boolean isNamed, boolean isParsed) {

  /** The answer to a request without tools. */
  static final ToolCall NONE = new ToolCall(Optional.empty(), false, false);
}
