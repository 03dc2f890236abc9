package io.sluice.producer.batch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A parsed line of an OpenAI Batch file. */
public sealed interface BatchLine {
  /** The longest custom_id, in characters: results repeat it. */
  int MAX_CUSTOM_ID_CHARS = 1_024;

  /** A valid request. */
  record Item(String customId, String url, ObjectNode body) implements BatchLine {
    /** Returns the body as it is sent. */
    public byte[] bytes() {
      return Json.bytes(body);
    }
  }

  /** Returns the problem of a request whose custom_id an earlier line has. */
  static Broken repeated(Item item) {
    return new Broken(
        Optional.of(item.customId()),
        LineErrorCode.DUPLICATE_CUSTOM_ID,
        "custom_id '" + shown(item.customId()) + "' is already used by an earlier line");
  }

  /** A line that is not a valid request. */
  record Broken(Optional<String> customId, LineErrorCode code, String message)
      implements BatchLine {}

  /**
   * Parses a line; never fails.
   *
   * @param urls those that a line may name
   */
  static BatchLine parse(Lines.Line line, List<String> urls) {
    if (line.isTooLong()) {
      return broken(Optional.empty(), LineErrorCode.LINE_TOO_LONG, "the line is longer than 8 MiB");
    }
    JsonNode json;
    try {
      json = Json.callersTree(line.text());
    } catch (JsonProcessingException e) {
      return broken(
          Optional.empty(),
          LineErrorCode.INVALID_JSON,
          "the line is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      return broken(
          Optional.empty(), LineErrorCode.INVALID_JSON, "the line is not JSON: " + e.getMessage());
    }
    if (!json.isObject()) {
      return broken(Optional.empty(), LineErrorCode.INVALID_JSON, "the line is not a JSON object");
    }
    JsonNode id = json.path("custom_id");
    if (!id.isTextual() || id.asText().isEmpty()) {
      return broken(
          Optional.empty(),
          LineErrorCode.MISSING_CUSTOM_ID,
          "custom_id must be a non-empty string");
    }
    if (id.asText().length() > MAX_CUSTOM_ID_CHARS) {
      return broken(
          Optional.empty(),
          LineErrorCode.CUSTOM_ID_TOO_LONG,
          "custom_id '%s' is longer than %d characters"
              .formatted(shown(id.asText()), MAX_CUSTOM_ID_CHARS));
    }
    return parse(id.asText(), json, urls);
  }

  private static BatchLine parse(String customId, JsonNode json, List<String> urls) {
    Optional<String> id = Optional.of(customId);
    String method = json.path("method").asText("POST");
    if (!method.equals("POST")) {
      return broken(
          id, LineErrorCode.INVALID_METHOD, "method must be POST, not '" + shown(method) + "'");
    }
    String url = json.path("url").asText("");
    if (!urls.contains(url)) {
      return broken(
          id,
          LineErrorCode.INVALID_URL,
          "url must be %s, not '%s'".formatted(String.join(" or ", urls), shown(url)));
    }
    return json.path("body") instanceof ObjectNode body
        ? new Item(customId, url, body)
        : broken(id, LineErrorCode.MISSING_BODY, "body must be a JSON object");
  }

  private static Broken broken(Optional<String> customId, LineErrorCode code, String message) {
    return new Broken(customId, code, message);
  }

  private static String shown(String text) {
    return text.length() > 64 ? text.substring(0, 64) + "..." : text;
  }
}
