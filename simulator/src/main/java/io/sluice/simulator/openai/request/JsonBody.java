package io.sluice.simulator.openai.request;

import java.util.Locale;
import java.util.Optional;

/** The JSON object that a POST carries. */
public final class JsonBody {

  private JsonBody() {}

  /**
   * Reads a body.
   *
   * @param contentType the value of that header
   * @throws ApiError for a wrong content type, and for anything but an object
   * @throws UnreadableBody if it is no text
   */
  public static Fields of(Optional<String> contentType, byte[] body) {
    String mediaType = contentType.orElse("").split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (!mediaType.equals("application/json")) {
      throw ApiError.validation("Unsupported Media Type: Only 'application/json' is allowed");
    }
    return Json.object(body);
  }
}
