package io.sluice.router.parse;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.prefix.PrefixHasher;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import java.io.IOException;

/**
 * Builds the {@link PrefixChain} of a request's prompt. First come the fields that decide whether
 * an engine can share cached blocks (salt, model, tools), then the messages in order, as a chat
 * template would render them. Pure.
 */
final class PromptPrefix {
  private PromptPrefix() {}

  /**
   * Returns the chain of a parsed body.
   *
   * @param promptTokens the estimated length of the prompt
   */
  static PrefixChain of(JsonNode body, String model, long promptTokens) {
    PrefixHasher hasher = new PrefixHasher();
    hasher.text(body.path("cache_salt").asText()).text(model);
    addTree(body.path("tools"), hasher);
    addTree(body.path("documents"), hasher);
    for (JsonNode message : body.path("messages")) {
      addMessage(message, hasher);
    }
    addPrompt(body.path("prompt"), hasher);
    return hasher.chain(promptTokens);
  }

  /** Returns the chain of a stored body; empty if it cannot be read. */
  static PrefixChain of(RequestBody body, RequestMetadata metadata) {
    try {
      return of(Json.tree(body.value()), metadata.model(), metadata.promptTokens());
    } catch (IOException e) {
      return PrefixChain.NONE;
    }
  }

  private static void addMessage(JsonNode message, PrefixHasher hasher) {
    hasher.text(message.path("role").asText());
    JsonNode content = message.path("content");
    if (content.isTextual()) {
      hasher.text(content.asText());
    }
    for (JsonNode part : content) {
      if (part.path("text").isTextual()) {
        hasher.text(part.path("text").asText());
      } else {
        hasher.digest(part.toString());
      }
    }
    addTree(message.path("tool_calls"), hasher);
  }

  /**
   * If there are several prompts, only the first counts, because the engine runs them side by side.
   */
  private static void addPrompt(JsonNode prompt, PrefixHasher hasher) {
    if (prompt.isTextual()) {
      hasher.text(prompt.asText());
    } else if (prompt.path(0).isNumber()) {
      prompt.forEach(id -> hasher.tokenId(id.asInt()));
    } else if (prompt.isArray() && !prompt.isEmpty()) {
      addPrompt(prompt.path(0), hasher);
    }
  }

  private static void addTree(JsonNode tree, PrefixHasher hasher) {
    if (!tree.isMissingNode() && !tree.isNull()) {
      hasher.text(tree.toString());
    }
  }
}
