package io.sluice.gateway.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An error in OpenAI's format: {@code {"error":{"message","type","param","code"}}}.
 *
 * @param kind of the pool's errors; empty for an error that no request to the pool has
 * @param status the HTTP status
 * @param param the field or header at fault
 * @param retryAfterMillis the time after which a retry makes sense
 * @param retry whether a client should retry by itself; empty leaves it to the client
 * @param requestId the pool's id of the request, if it was sent
 */
public record ApiError(
    Optional<ErrorKind> kind,
    int status,
    String type,
    String code,
    String message,
    Optional<String> param,
    OptionalLong retryAfterMillis,
    Optional<Boolean> retry,
    Optional<String> requestId) {

  /** Clients of OpenAI ignore a longer time. */
  private static final long LONGEST_RETRY_AFTER_MILLIS = 60_000;

  private static final long OVERLOADED_RETRY_MILLIS = 1_000;
  private static final int MILLIS = 1_000;
  private static final String ATTRIBUTE = "sluice.error";

  /**
   * Returns whether the log cannot be reached, so that it is not known what became of a request.
   */
  public boolean isUnreachable() {
    return kind.filter(ErrorKind::isUnreachable).isPresent();
  }

  /** Returns an error of the pool. */
  public static ApiError of(ErrorKind kind, String message) {
    return of(kind, message, Optional.empty(), OptionalLong.empty());
  }

  /** Returns the error of a request for which there is no room, but may be in a second. */
  public static ApiError overloaded(String message) {
    return of(ErrorKind.OVERLOADED, message).retryAfter(OVERLOADED_RETRY_MILLIS);
  }

  /** Returns an error of the pool that concerns a field or a header. */
  static ApiError of(ErrorKind kind, String message, Optional<String> param) {
    return of(kind, message, param, OptionalLong.empty());
  }

  /** Returns the error with which an answer ended. */
  public static ApiError of(ReplyEvent.Failed failed) {
    ReplyEvent.Failed shown = Failures.shown(failed);
    return of(
        shown.kind(),
        shown.message(),
        shown.kind().param(shown.message()),
        shown.retryAfterMillis());
  }

  /** Returns the error of a request without a valid API key. */
  public static ApiError unauthorized(String message) {
    return new ApiError(
        Optional.empty(),
        401,
        "authentication_error",
        "invalid_api_key",
        message,
        Optional.empty(),
        OptionalLong.empty(),
        Optional.of(false),
        Optional.empty());
  }

  /**
   * Returns the error of a request that its sender may not make.
   *
   * @param param what is not allowed
   */
  public static ApiError forbidden(String message, String param) {
    return new ApiError(
        Optional.empty(),
        403,
        "permission_error",
        "permission_denied",
        message,
        Optional.of(param),
        OptionalLong.empty(),
        Optional.of(false),
        Optional.empty());
  }

  /** Returns the error of a request that what it asks about is past, with status 409. */
  public static ApiError conflict(String code, String message) {
    return ofStatus(409, code, message);
  }

  /** Returns the error of a new request under the idempotency key of an earlier one. */
  public static ApiError idempotencyKeyReused() {
    return ofStatus(
            422,
            "idempotency_key_reused",
            "this Idempotency-Key belongs to an earlier request with another body; send a new key"
                + " with a new request, and the same body with a retry")
        .neverRetry();
  }

  /** Returns this error as one that a client should not retry by itself. */
  public ApiError neverRetry() {
    return new ApiError(
        kind,
        status,
        type,
        code,
        message,
        param,
        OptionalLong.empty(),
        Optional.of(false),
        requestId);
  }

  /** Returns this error as one after which a client should try again by itself. */
  public ApiError shouldRetry() {
    return new ApiError(
        kind, status, type, code, message, param, retryAfterMillis, Optional.of(true), requestId);
  }

  /** Returns the error of a stream whose beginning was sent before another attempt began again. */
  public static ApiError restarted() {
    return of(
        ErrorKind.ENGINE_ERROR,
        "the answer had to be generated again from its beginning after a part of it was sent");
  }

  /** Returns an error that no request to the pool has, such as one of HTTP itself. */
  public static ApiError ofStatus(int status, String code, String message) {
    String type = status >= 500 ? "api_error" : "invalid_request_error";
    return new ApiError(
        Optional.empty(),
        status,
        type,
        code,
        message,
        Optional.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns an error of HTTP itself, whose code is the status's name. */
  static ApiError of(HttpStatus status, String message) {
    return ofStatus(status.getCode(), status.name().toLowerCase(Locale.ROOT), message);
  }

  private static ApiError of(
      ErrorKind kind, String message, Optional<String> param, OptionalLong retryAfterMillis) {
    return new ApiError(
        Optional.of(kind),
        kind.status(),
        kind.type(),
        kind.code(),
        message,
        param,
        retryAfterMillis,
        shouldRetry(kind),
        Optional.empty());
  }

  /** Returns this error with the time after which a retry makes sense. */
  public ApiError retryAfter(long millis) {
    return new ApiError(
        kind, status, type, code, message, param, OptionalLong.of(millis), retry, requestId);
  }

  /** Returns this error as that of a field. */
  public ApiError onParam(String name) {
    return new ApiError(
        kind, status, type, code, message, Optional.of(name), retryAfterMillis, retry, requestId);
  }

  /** Returns this error as that of a request. */
  public ApiError about(String id) {
    return new ApiError(
        kind, status, type, code, message, param, retryAfterMillis, retry, Optional.of(id));
  }

  private static Optional<Boolean> shouldRetry(ErrorKind kind) {
    return switch (kind.retry()) {
      case YES -> Optional.of(true);
      case NO -> Optional.of(false);
      case UNSPECIFIED -> Optional.empty();
    };
  }

  /** Returns the error that a response reports; empty if it reports none. */
  public static Optional<ApiError> of(HttpResponse<?> response) {
    return response.getAttribute(ATTRIBUTE, ApiError.class);
  }

  /** Returns the body as one line of text. */
  public String toText() {
    return Json.text(toTree());
  }

  private ObjectNode toTree() {
    ObjectNode root = Json.mapper().createObjectNode();
    ObjectNode error = root.putObject("error").put("message", message).put("type", type);
    error.put("param", param.orElse(null)).put("code", code);
    return root;
  }

  /** Returns the whole response. */
  public MutableHttpResponse<byte[]> toResponse() {
    MutableHttpResponse<byte[]> response =
        HttpResponse.<byte[]>status(status, reason()).contentType(MediaType.APPLICATION_JSON_TYPE);
    retryAfterMillis.ifPresent(
        millis -> {
          long bounded = Math.min(millis, LONGEST_RETRY_AFTER_MILLIS);
          response.header(HttpHeaders.RETRY_AFTER, Long.toString((bounded + MILLIS - 1) / MILLIS));
          response.header("retry-after-ms", Long.toString(bounded));
        });
    response.setAttribute(ATTRIBUTE, this);
    requestId.ifPresent(id -> response.header("x-request-id", id));
    retry.ifPresent(value -> response.header("x-should-retry", Boolean.toString(value)));
    return response.body(Json.bytes(toTree()));
  }

  private String reason() {
    return code.replace('_', ' ');
  }
}
