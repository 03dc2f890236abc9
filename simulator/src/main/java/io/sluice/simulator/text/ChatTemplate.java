package io.sluice.simulator.text;

import java.util.List;

/**
 * The chat template of the simulated model: ChatML.
 *
 * <p>White space is never trimmed, so that a partial answer that is sent back with {@link
 * Ending#CONTINUE_FINAL} appears in the prompt exactly as it was generated.
 */
public final class ChatTemplate {

  static final String TURN_START = "<|im_start|>";
  static final String TURN_END = "<|im_end|>";

  /** What follows the last message. */
  public enum Ending {
    /** Returns the head of a new assistant turn ({@code add_generation_prompt}). */
    ASSISTANT_TURN,
    /** Nothing: the last turn is closed. */
    NONE,
    /** The last turn stays open, to be continued ({@code continue_final_message}). */
    CONTINUE_FINAL
  }

  private ChatTemplate() {}

  /** Renders a conversation as prompt text. */
  public static String render(List<ChatMessage> messages, Ending ending) {
    StringBuilder prompt = new StringBuilder();
    for (int i = 0; i < messages.size(); i++) {
      ChatMessage message = messages.get(i);
      prompt.append(TURN_START).append(message.role()).append('\n').append(message.content());
      boolean open = ending == Ending.CONTINUE_FINAL && i == messages.size() - 1;
      if (!open) {
        prompt.append(TURN_END).append('\n');
      }
    }
    if (ending == Ending.ASSISTANT_TURN) {
      prompt.append(TURN_START).append("assistant\n");
    }
    return prompt.toString();
  }
}
