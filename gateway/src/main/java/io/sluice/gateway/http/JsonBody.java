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

  /** Returns a text in an object without parsing the rest; empty if there is none. */
  public static Optional<String> text(byte[] body, String field) {
    Optional<String> text = Optional.empty();
    try (JsonParser parser = Json.mapper().createParser(body)) {
      boolean isObject = parser.nextToken() == JsonToken.START_OBJECT;
      while (isObject && parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isWanted = parser.currentName().equals(field);
        JsonToken value = parser.nextToken();
        if (isWanted) {
          text = value == JsonToken.VALUE_STRING ? Optional.of(parser.getText()) : Optional.empty();
        }
        parser.skipChildren();
      }
      return text;
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
