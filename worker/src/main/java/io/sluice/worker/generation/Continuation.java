package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;

/** How an engine is made to go on after tokens that another attempt has made. */
sealed interface Continuation {

  /** Output tokens that are in the log already. */
  int tokens();

  /** Their text. */
  String text();

  /** Changes the engine's request so that what comes next follows that text. */
  void applyTo(ObjectNode body);

  /** Nothing was made yet. */
  record FromStart() implements Continuation {
    @Override
    public int tokens() {
      return 0;
    }

    @Override
    public String text() {
      return "";
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** Tokens were made that hold no text yet: from the start, with less to make. */
  record AfterSilence(int tokens) implements Continuation {
    @Override
    public String text() {
      return "";
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** The text becomes the beginning of the assistant's message. */
  record InMessage(int tokens, String text) implements Continuation {
    @Override
    public void applyTo(ObjectNode body) {
      ArrayNode messages = body.withArray("/messages");
      JsonNode last = messages.path(messages.size() - 1);
      boolean isBegun = body.path("continue_final_message").asBoolean(false);
      if (isBegun && last instanceof ObjectNode message) {
        message.put("content", message.path("content").asText("") + text);
      } else {
        messages.addObject().put("role", "assistant").put("content", text);
      }
      body.put("continue_final_message", true).put("add_generation_prompt", false);
    }
  }

  /** The text follows the prompt. */
  record AfterPrompt(int tokens, String text) implements Continuation {
    @Override
    public void applyTo(ObjectNode body) {
      body.put("prompt", body.path("prompt").asText() + text);
    }
  }

  /** From the very start. */
  static Continuation fromStart() {
    return new FromStart();
  }

  /** After some tokens and their text. */
  static Continuation after(Endpoint endpoint, int tokens, String text) {
    if (tokens == 0) {
      return fromStart();
    }
    if (text.isEmpty()) {
      return new AfterSilence(tokens);
    }
    return endpoint == Endpoint.CHAT_COMPLETIONS
        ? new InMessage(tokens, text)
        : new AfterPrompt(tokens, text);
  }
}
