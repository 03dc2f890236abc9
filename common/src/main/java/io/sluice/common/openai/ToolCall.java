package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call of a tool in an answer, or what a chunk adds to it.
 *
 * @param index the number by which readers of a stream merge calls; 0 if there is none
 * @param id empty if the engine gives none, as in all but the first chunk of a call
 * @param arguments JSON as the model wrote it, or a piece of it
 */
public record ToolCall(int index, Optional<String> id, String name, String arguments) {
  static final String FIELD = "tool_calls";

  /** Returns the calls in a message or a delta. */
  static List<ToolCall> in(JsonNode message) {
    JsonNode all = message.path(FIELD);
    if (all.isEmpty()) {
      return List.of();
    }
    List<ToolCall> calls = new ArrayList<>(all.size());
    for (JsonNode call : all) {
      calls.add(parse(call));
    }
    return calls;
  }

  private static ToolCall parse(JsonNode call) {
    JsonNode function = call.path("function");
    return new ToolCall(
        call.path("index").asInt(0),
        call.hasNonNull("id") ? Optional.of(call.path("id").asText()) : Optional.empty(),
        function.path("name").asText(""),
        function.path("arguments").asText(""));
  }
}
