package io.sluice.gateway.responses.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;

/** Translates the content of a message. Text alone becomes one text, which every model takes. */
final class ContentParts {
  private ContentParts() {}

  /**
   * Returns the content of a chat message.
   *
   * @param path of the content, for error messages
   * @throws InvalidFieldException if a part cannot be given to a model of the pool
   */
  static JsonNode of(JsonNode content, String path) {
    if (content.isTextual()) {
      return content;
    }
    if (!content.isArray()) {
      throw new InvalidFieldException(path, "must be a text or a list of parts");
    }
    ArrayNode parts = Json.mapper().createArrayNode();
    StringBuilder text = new StringBuilder();
    boolean isTextOnly = true;
    for (int i = 0; i < content.size(); i++) {
      JsonNode part = part(content.get(i), path + "[" + i + "]");
      isTextOnly &= part.path("type").asText().equals("text");
      text.append(part.path("text").asText(""));
      parts.add(part);
    }
    return isTextOnly ? Json.mapper().getNodeFactory().textNode(text.toString()) : parts;
  }

  private static ObjectNode part(JsonNode part, String path) {
    String type = part.path("type").asText("");
    return switch (type) {
      case "input_text", "output_text", "text" -> text(Fields.text(part, "text", path));
      case "refusal" -> text(Fields.text(part, "refusal", path));
      case "input_image" -> image(part, path);
      default ->
          throw new InvalidFieldException(
              path + ".type",
              "must be input_text, output_text, refusal or input_image, not '" + type + "'");
    };
  }

  private static ObjectNode text(String text) {
    return Json.mapper().createObjectNode().put("type", "text").put("text", text);
  }

  private static ObjectNode image(JsonNode part, String path) {
    ObjectNode image = Json.mapper().createObjectNode().put("type", "image_url");
    ObjectNode url = image.putObject("image_url").put("url", Fields.text(part, "image_url", path));
    if (Fields.isSet(part, "detail")) {
      url.set("detail", part.get("detail"));
    }
    return image;
  }
}
