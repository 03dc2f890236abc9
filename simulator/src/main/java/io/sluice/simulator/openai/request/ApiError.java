package io.sluice.simulator.openai.request;

import java.util.Optional;

/** An error answer to a request, with the status and envelope that vLLM uses. */
public final class ApiError extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int MOST_REPORTED = 10;

  private final int status;
  private final String type;
  private final transient Optional<String> param;
  private final boolean lazy;

  private ApiError(int status, String type, String message, Optional<String> param) {
    this(status, type, message, param, false);
  }

  private ApiError(int status, String type, String message, Optional<String> param, boolean lazy) {
    // No stack trace, since this is an answer and not a fault.
    super(message, null, false, false);
    this.status = status;
    this.type = type;
    this.param = param;
    this.lazy = lazy;
  }

  /**
   * Returns this error as one that vLLM detects only after the answer has begun. A stream then has
   * status 200 and contains the error.
   */
  ApiError lazily() {
    return new ApiError(status, type, message(), param, true);
  }

  /** Returns whether vLLM detects this error only after the answer has begun. */
  public boolean isLazy() {
    return lazy;
  }

  /** Rejects a request whose body is not read at all. */
  static ApiError validation(String detail) {
    return new ApiError(400, "Bad Request", "1 validation error:\n  " + detail, Optional.empty());
  }

  /**
   * Rejects a body that does not match the schema of the endpoint. The first violation names the
   * parameter.
   */
  static ApiError validation(Violation... violations) {
    int count = violations.length;
    String label = count == 1 ? "error" : "errors";
    StringBuilder message = new StringBuilder("%s validation %s:".formatted(count, label));
    for (int i = 0; i < Math.min(count, MOST_REPORTED); i++) {
      message.append("\n  ").append(violations[i]);
    }
    if (count > MOST_REPORTED) {
      message.append("\n  ...and %s more %s".formatted(count - MOST_REPORTED, label));
    }
    return new ApiError(
        400, "Bad Request", message.toString(), Optional.of(violations[0].location()));
  }

  /** Rejects a request that cannot be served in its current form. */
  public static ApiError badRequest(String message) {
    return new ApiError(400, "BadRequestError", message, Optional.empty());
  }

  /** Rejects a parameter. vLLM appends its name to the message. */
  static ApiError badParameter(String param, String message) {
    return parameter(param, "%s (parameter=%s)".formatted(message, param));
  }

  /** Rejects a parameter. Its name appears in its own field only, not in the message. */
  static ApiError parameter(String param, String message) {
    return new ApiError(400, "BadRequestError", message, Optional.of(param));
  }

  /** Rejects the value of a parameter. vLLM appends the name and the value to the message. */
  static ApiError badValue(String param, Object value, String message) {
    return parameter(param, "%s (parameter=%s, value=%s)".formatted(message, param, value));
  }

  /**
   * Rejects a model that is not served.
   *
   * @param served the served names, if the message lists them
   */
  static ApiError unknownModel(String model, Optional<String> served) {
    return new ApiError(
        404,
        "NotFoundError",
        "The model `%s` does not exist.".formatted(model)
            + served.map(names -> " Valid aliases: " + names + ".").orElse(""),
        Optional.of("model"));
  }

  /** Rejects a request to a scale-out route on a server without scale-out. */
  public static ApiError scaleOutDisabled() {
    return new ApiError(
        403,
        "PermissionDeniedError",
        "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.",
        Optional.empty());
  }

  /** Rejects a request because too many requests are queued. */
  public static ApiError busy() {
    return new ApiError(
        503,
        "Service Unavailable",
        "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.",
        Optional.empty());
  }

  /** Rejects a request because too many prompt tokens are queued. */
  public static ApiError prefillBacklog() {
    return new ApiError(
        503,
        "Service Unavailable",
        "The engine has reached its prefill token backlog limit. Please try again later or on a different instance.",
        Optional.empty());
  }

  /** Rejects a request to load or unload a LoRA adapter. */
  public static ApiError badLora(String message) {
    return new ApiError(400, "InvalidUserInput", message, Optional.empty());
  }

  static ApiError unknownLora(String name) {
    return new ApiError(
        404, "NotFoundError", "The lora adapter '" + name + "' cannot be found.", Optional.empty());
  }

  static ApiError unsupported(String message) {
    return new ApiError(501, "NotImplementedError", message, Optional.empty());
  }

  /** Reports that the engine is dead or failed while it served the request. */
  public static ApiError engineFailure() {
    return new ApiError(
        500,
        "InternalServerError",
        "EngineCore encountered an issue. See stack trace (above) for the root cause.",
        Optional.empty());
  }

  /** Returns the answer of an injected fault with a status. */
  public static ApiError injected(int status) {
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

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  String message() {
    return String.valueOf(getMessage());
  }

  /** Returns the compact envelope of an HTTP error. */
  public byte[] body() {
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

  /** Returns the envelope of an error inside a stream, formatted like Python's json.dumps. */
  public String pythonBody() {
    return "{\"error\": {\"message\": %s, \"type\": %s, \"param\": %s, \"code\": %s}}"
        .formatted(
            Json.asciiString(message()),
            Json.asciiString(type),
            param.map(Json::asciiString).orElse("null"),
            status);
  }
}
