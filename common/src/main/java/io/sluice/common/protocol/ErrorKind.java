package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The errors that a caller may receive, each with the HTTP status that OpenAI clients expect for
 * it.
 */
public enum ErrorKind {
  /** Also stands for a kind from a newer peer that this version does not know. */
  @JsonEnumDefaultValue
  INVALID_REQUEST(400, "invalid_request_error"),
  MODEL_NOT_FOUND(404, "not_found_error"),
  CONTEXT_LENGTH_EXCEEDED(400, "invalid_request_error"),
  /** The answer is larger than its reply topic accepts. */
  ANSWER_TOO_LARGE(400, "invalid_request_error"),
  DEADLINE_EXCEEDED(504, "timeout_error"),
  OVERLOADED(429, "rate_limit_error"),
  ENGINE_ERROR(502, "api_error"),
  /**
   * Workers or their engines died while they processed the request and before it had a token. The
   * request may be the cause, so the status is not one of 500 and above, after which clients retry
   * automatically.
   */
  WORKER_LOST(422, "invalid_request_error"),
  /**
   * The part of the answer that is in the reply topic cannot be read back, so that it cannot be
   * continued.
   */
  REPLY_UNREADABLE(500, "reply_error"),
  CANCELLED(499, "cancelled_error"),
  /** Another tenant has a request with the same id. */
  REQUEST_ID_IN_USE(409, "invalid_request_error"),
  QUOTA_EXCEEDED(429, "rate_limit_error"),
  REPLY_TRUNCATED(410, "reply_error"),
  /** A reader found no reply to a request of that id. Produced by readers, never by the pool. */
  REQUEST_NOT_FOUND(404, "not_found_error"),
  /** Kafka cannot be reached, or the client was closed. Produced by clients, never by the pool. */
  UNAVAILABLE(503, "api_error");

  private final int status;
  private final String type;

  ErrorKind(int status, String type) {
    this.status = status;
    this.type = type;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Returns OpenAI's name for the class of the error, such as {@code rate_limit_error}. */
  public String type() {
    return type;
  }

  /** Returns the stable name that programs compare with, such as {@code deadline_exceeded}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a code; empty if it is unknown. */
  public static Optional<ErrorKind> parse(String code) {
    for (ErrorKind kind : values()) {
      if (kind.code().equals(code)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** Returns the error in OpenAI's format: {@code {"error":{"message","type","code"}}}. */
  public byte[] toJson(String message) {
    return toJson(message, OptionalLong.empty());
  }

  /**
   * Returns the error like {@link #toJson(String)}, with the time in milliseconds after which a
   * retry makes sense.
   */
  public byte[] toJson(String message, OptionalLong retryAfterMillis) {
    ObjectNode root = Json.mapper().createObjectNode();
    ObjectNode error = root.putObject("error");
    error.put("message", message).put("type", type).put("code", code()).put("status", status);
    retryAfterMillis.ifPresent(millis -> error.put("retry_after_ms", millis));
    return Json.bytes(root);
  }
}
