package io.sluice.gateway.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads bodies that are translated before the pool gets them. */
public final class JsonBody {
  private JsonBody() {}

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
}
