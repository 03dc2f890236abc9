package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiError;
import java.util.Optional;

/** Translates errors into Anthropic's format. */
public final class MessageError {
  private MessageError() {}

  /**
   * Returns the error.
   *
   * @param requestId what identifies the HTTP request
   */
  public static ObjectNode of(ApiError error, Optional<String> requestId) {
    ObjectNode root = Json.mapper().createObjectNode().put("type", "error");
    root.putObject("error").put("type", type(error)).put("message", error.message());
    requestId.ifPresent(id -> root.put("request_id", id));
    return root;
  }

  private static String type(ApiError error) {
    return switch (error.status()) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 413 -> "request_too_large";
      case 429 -> error.is(ErrorKind.OVERLOADED) ? "overloaded_error" : "rate_limit_error";
      case 503 -> "overloaded_error";
      case 504 -> "timeout_error";
      default -> error.status() >= 500 ? "api_error" : "invalid_request_error";
    };
  }
}
