package io.sluice.simulator.http;

import java.util.Locale;

/** The JSON object that a POST carries. */
final class JsonBody {

  private JsonBody() {}

  /** Reads the body; a wrong content type or anything but an object is a validation error. */
  static Fields of(Exchange exchange) {
    String contentType = exchange.header("content-type").orElse("");
    String mediaType = contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (!mediaType.equals("application/json")) {
      throw ApiError.validation("Unsupported Media Type: Only 'application/json' is allowed");
    }
    return Json.object(exchange.body());
  }
}
