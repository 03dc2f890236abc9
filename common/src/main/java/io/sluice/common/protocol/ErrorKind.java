package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The errors that a caller may see; each has the HTTP status that an OpenAI client expects for it.
 */
public enum ErrorKind {
  /** Also what a newer peer calls by a name that is unknown here. */
  @JsonEnumDefaultValue
  INVALID_REQUEST(400, "invalid_request_error"),
  MODEL_NOT_FOUND(404, "not_found_error"),
  CONTEXT_LENGTH_EXCEEDED(400, "invalid_request_error"),
  /** What was made of it is more than its reply topic takes. */
  ANSWER_TOO_LARGE(400, "invalid_request_error"),
  DEADLINE_EXCEEDED(504, "timeout_error"),
  OVERLOADED(429, "rate_limit_error"),
  ENGINE_ERROR(502, "api_error"),
  /**
   * Workers or their engines died at the request before it gave a token. It may be what kills them,
   * so it is no error after which clients try again by themselves, as they do after those from 500
   * on.
   */
  WORKER_LOST(422, "invalid_request_error"),
  /** The part of the answer that is in its reply topic cannot be read back to go on from there. */
  REPLY_UNREADABLE(500, "reply_error"),
  CANCELLED(499, "cancelled_error"),
  /** Another tenant calls a request of its own so. */
  REQUEST_ID_IN_USE(409, "invalid_request_error"),
  QUOTA_EXCEEDED(429, "rate_limit_error"),
  REPLY_TRUNCATED(410, "reply_error"),
  /** A reader found no reply to a request of that id; made by readers, never by the pool. */
  REQUEST_NOT_FOUND(404, "not_found_error"),
  /** Kafka cannot be reached, or the client was closed; made by clients, never by the pool. */
  UNAVAILABLE(503, "api_error");

  private final int status;
  private final String type;

  ErrorKind(int status, String type) {
    this.status = status;
    this.type = type;
  }

  /** The HTTP status that stands for it. */
  public int status() {
    return status;
  }

  /** The stable name that programs compare with, e.g. {@code deadline_exceeded}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a code; empty if there is no such kind. */
  public static Optional<ErrorKind> parse(String code) {
    for (ErrorKind kind : values()) {
      if (kind.code().equals(code)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** The error in OpenAI's shape: {@code {"error":{"message","type","code"}}}. */
  public byte[] toJson(String message) {
    return toJson(message, OptionalLong.empty());
  }

  /**
   * As {@link #toJson(String)}, with the time after which a new try makes sense, in milliseconds.
   */
  public byte[] toJson(String message, OptionalLong retryAfterMillis) {
    ObjectNode root = Json.mapper().createObjectNode();
    ObjectNode error = root.putObject("error");
    error.put("message", message).put("type", type).put("code", code()).put("status", status);
    retryAfterMillis.ifPresent(millis -> error.put("retry_after_ms", millis));
    return Json.bytes(root);
  }
}
