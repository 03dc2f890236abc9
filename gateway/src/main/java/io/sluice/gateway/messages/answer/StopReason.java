package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import java.util.Optional;

/**
 * Why a message ended.
 *
 * @param sequence the stop sequence that the model generated
 */
record StopReason(String name, Optional<String> sequence) {

  /**
   * Translates the finish reason of a choice.
   *
   * @param choice the finished choice of a chat answer
   * @param hasCalls whether the answer calls tools, after which some engines report a plain stop
   * @param isRefusal whether the answer is a refusal
   */
  static StopReason of(Choice choice, boolean hasCalls, boolean isRefusal) {
    JsonNode stop = choice.stopReason();
    return switch (choice.finishReason().orElse("")) {
      case "length" -> named("max_tokens");
      case "content_filter" -> named("refusal");
      case "tool_calls", "function_call" -> named("tool_use");
      default -> {
        if (isRefusal) {
          yield named("refusal");
        }
        if (stop.isTextual()) {
          yield new StopReason("stop_sequence", Optional.of(stop.textValue()));
        }
        yield named(hasCalls ? "tool_use" : "end_turn");
      }
    };
  }

  /** Adds the reason to a message, or to a change of one. */
  void addTo(ObjectNode message) {
    message.put("stop_reason", name).put("stop_sequence", sequence.orElse(null));
  }

  private static StopReason named(String name) {
    return new StopReason(name, Optional.empty());
  }
}
