package io.sluice.gateway.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads bodies that are translated before the pool gets them. */
public final class JsonBody {
  private static final byte[] NOTHING = {};

  private JsonBody() {}

  /** Returns the bytes of a body; none if there is no body. */
  public static byte[] bytes(byte @Nullable [] body) {
    return body == null ? NOTHING : body;
  }

  /**
   * Parses a body.
   *
   * @throws ApiException if it is not a JSON object
   */
  public static ObjectNode parse(byte @Nullable [] body) {
    try {
      if (Json.callersTree(body) instanceof ObjectNode object) {
        return object;
      }
      throw new ApiException(ErrorKind.INVALID_REQUEST, "the body must be a JSON object");
    } catch (IOException e) {
      throw new ApiException(ErrorKind.INVALID_REQUEST, "the body is not JSON");
    }
  }

  /**
   * Returns a text in an object without parsing the rest; empty if it is absent or null, or if the
   * body is not JSON.
   *
   * @throws ApiException if the field has another value than a text
   */
  public static Optional<String> text(byte[] body, String field) {
    Optional<String> text = Optional.empty();
    try (JsonParser parser = Json.mapper().createParser(body)) {
      boolean isObject = parser.nextToken() == JsonToken.START_OBJECT;
      while (isObject && parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isWanted = parser.currentName().equals(field);
        JsonToken value = parser.nextToken();
        if (isWanted) {
          text = text(parser, value, field);
        }
        parser.skipChildren();
      }
      return text;
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> text(JsonParser parser, JsonToken value, String field)
      throws IOException {
    return switch (value) {
      case VALUE_STRING -> Optional.of(parser.getText());
      case VALUE_NULL -> Optional.empty();
      default ->
          throw new ApiException(
              ErrorKind.INVALID_REQUEST, "'" + field + "' must be a text", field);
    };
  }
}
