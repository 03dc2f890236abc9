package io.sluice.simulator.http;

import java.util.Optional;

/** A request that is answered with an error: status and envelope as vLLM words them. */
final class ApiError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String type;
  private final transient Optional<String> param;
  private final boolean lazy;

  private ApiError(int status, String type, String message, Optional<String> param) {
    this(status, type, message, param, false);
  }

  private ApiError(int status, String type, String message, Optional<String> param, boolean lazy) {
    // No stack trace: these are answers, not faults.
    super(message, null, false, false);
    this.status = status;
    this.type = type;
    this.param = param;
    this.lazy = lazy;
  }

  /**
   * Returns this error as one that vLLM finds only when the answer has begun: a stream then has
   * status 200 and the error inside.
   */
  ApiError lazily() {
    return new ApiError(status, type, message(), param, true);
  }

  boolean isLazy() {
    return lazy;
  }

  /** The body is not what the endpoint's schema asks for. */
  static ApiError validation(String detail) {
    return new ApiError(400, "Bad Request", "1 validation error:\n  " + detail, Optional.empty());
  }

  static ApiError badRequest(String message) {
    return new ApiError(400, "BadRequestError", message, Optional.empty());
  }

  static ApiError badParameter(String param, String message) {
    return new ApiError(400, "BadRequestError", message, Optional.of(param));
  }

  /** vLLM appends the parameter and its value to the text. */
  static ApiError badValue(String param, Object value, String message) {
    return badParameter(param, "%s (parameter=%s, value=%s)".formatted(message, param, value));
  }

  static ApiError unknownModel(String model) {
    return new ApiError(
        404, "NotFoundError", "The model `" + model + "` does not exist.", Optional.of("model"));
  }

  static ApiError busy() {
    return new ApiError(
        503,
        "Service Unavailable",
        "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.",
        Optional.empty());
  }

  static ApiError prefillBacklog() {
    return new ApiError(
        503,
        "Service Unavailable",
        "The engine has reached its prefill token backlog limit. Please try again later or on a different instance.",
        Optional.empty());
  }

  /** What the LoRA routes say. */
  static ApiError badLora(String message) {
    return new ApiError(400, "InvalidUserInput", message, Optional.empty());
  }

  static ApiError unknownLora(String name) {
    return new ApiError(
        404, "NotFoundError", "The lora adapter '" + name + "' cannot be found.", Optional.empty());
  }

  static ApiError unsupported(String message) {
    return new ApiError(501, "NotImplementedError", message, Optional.empty());
  }

  /** An exception that nobody foresaw. */
  static ApiError unexpected(String message) {
    return new ApiError(500, "InternalServerError", message, Optional.empty());
  }

  static ApiError engineFailure() {
    return new ApiError(
        500,
        "InternalServerError",
        "EngineCore encountered an issue. See stack trace (above) for the root cause.",
        Optional.empty());
  }

  static ApiError injected(int status) {
    String type =
        switch (status) {
          case 400 -> "BadRequestError";
          case 404 -> "NotFoundError";
          case 429 -> "RateLimitError";
          case 503 -> "Service Unavailable";
          default -> "InternalServerError";
        };
    return new ApiError(status, type, "Injected fault.", Optional.empty());
  }

  int status() {
    return status;
  }

  String message() {
    return String.valueOf(getMessage());
  }

  /** Returns the compact envelope of an HTTP error. */
  byte[] body() {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeObjectFieldStart("error");
          json.writeStringField("message", message());
          json.writeStringField("type", type);
          json.writeStringField("param", param.orElse(null));
          json.writeNumberField("code", status);
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  /** Returns the envelope of an error inside a stream, in the style of Python's json.dumps. */
  String pythonBody() {
    return "{\"error\": {\"message\": %s, \"type\": %s, \"param\": %s, \"code\": %d}}"
        .formatted(
            Json.asciiString(message()),
            Json.asciiString(type),
            param.map(Json::asciiString).orElse("null"),
            status);
  }
}
