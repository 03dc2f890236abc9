package io.sluice.gateway.messages.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.common.protocol.Json;

/** Collects the texts and images of one chat message. Not thread-safe. */
final class ContentParts {
  private final ArrayNode parts = Json.mapper().createArrayNode();

  void addText(Field block) {
    parts.addObject().put("type", "text").put("text", block.at("text").text());
  }

  void addImage(Field block) {
    parts.addObject().put("type", "image_url").putObject("image_url").put("url", url(block));
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Returns the content of the message. All engines take a text; some take no parts. */
  JsonNode content() {
    return switch (parts.size()) {
      case 0 -> Json.mapper().getNodeFactory().textNode("");
      case 1 -> parts.get(0).path("text").isTextual() ? parts.get(0).path("text") : parts;
      default -> parts;
    };
  }

  private static String url(Field image) {
    Field source = image.at("source");
    return switch (source.at("type").text()) {
      case "url" -> source.at("url").text();
      case "base64" ->
          "data:" + source.at("media_type").text() + ";base64," + source.at("data").text();
      default -> throw source.at("type").wrong("must be base64 or url");
    };
  }
}
