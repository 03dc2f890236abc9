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
    return error.kind().map(MessageError::type).orElseGet(() -> typeOfStatus(error.status()));
  }

  private static String type(ErrorKind kind) {
    return switch (kind) {
      case INVALID_REQUEST,
          CONTEXT_LENGTH_EXCEEDED,
          ANSWER_TOO_LARGE,
          WORKER_LOST,
          CANCELLED,
          REQUEST_ID_IN_USE,
          REPLY_TRUNCATED ->
          "invalid_request_error";
      case MODEL_NOT_FOUND, REQUEST_NOT_FOUND -> "not_found_error";
      case OVERLOADED, UNAVAILABLE -> "overloaded_error";
      case QUOTA_EXCEEDED -> "rate_limit_error";
      case DEADLINE_EXCEEDED -> "timeout_error";
      case ENGINE_ERROR, REPLY_UNREADABLE -> "api_error";
    };
  }

  private static String typeOfStatus(int status) {
    return switch (status) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 413 -> "request_too_large";
      case 429 -> "rate_limit_error";
      case 503 -> "overloaded_error";
      case 504 -> "timeout_error";
      default -> status >= 500 ? "api_error" : "invalid_request_error";
    };
  }
}
