package io.sluice.gateway.messages.answer;

import io.sluice.common.openai.Choice;
import io.sluice.common.openai.ToolCall;
import java.util.List;

/**
 * What a message of a chat answer contains, or a part of it in a stream.
 *
 * @param text what the model says or, if {@code isRefusal}, why it says nothing
 */
record ChatContent(String reasoning, String text, boolean isRefusal, List<ToolCall> calls) {

  /** Reads the message or the delta of a choice. */
  static ChatContent of(Choice choice) {
    String refusal = choice.refusal();
    return new ChatContent(
        choice.reasoning(), choice.text() + refusal, !refusal.isEmpty(), choice.toolCalls());
  }
}
