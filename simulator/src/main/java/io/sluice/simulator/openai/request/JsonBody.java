package io.sluice.simulator.openai.request;

import java.util.Locale;
import java.util.Optional;

/** Reads the JSON object in the body of a POST request. */
public final class JsonBody {

  private JsonBody() {}

  /**
   * Reads a body.
   *
   * @param contentType the value of the Content-Type header
   * @throws ApiError if the content type is wrong or the body is not an object
   * @throws UnreadableBody if the body is not text
   */
  public static Fields of(Optional<String> contentType, byte[] body) {
    String mediaType = contentType.orElse("").split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (!mediaType.equals("application/json")) {
      throw ApiError.validation("Unsupported Media Type: Only 'application/json' is allowed");
    }
    return Json.object(body);
  }
}
