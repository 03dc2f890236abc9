package io.sluice.worker.engine.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Classifies errors of engines by the status and by the types, codes and parameters that the
 * dialects know, because message texts change between versions. Their format is that of a dialect,
 * {@code {"detail": ...}} of a server in front, or plain text.
 */
final class ErrorAnswer {
  private static final int SHOWN_CHARS = 500;
  private static final int DEFAULT_STATUS = 500;

  /** Models and endpoints are agreed between the worker and its engine, as the key is. */
  private static final int NOT_FOUND = 404;

  private ErrorAnswer() {}

  /** Returns the failure for an answer with a status of 300 or more. */
  static EngineFailure ofResponse(int status, byte[] body, Optional<String> retryAfter) {
    return classify(status, parse(body), text(body), retryAfterMillis(retryAfter));
  }

  /**
   * Returns the failure for an {@code error} inside a stream.
   *
   * @param hasOutput whether the engine has sent tokens before: the request, the key and the model
   *     are right then, whatever the error says
   */
  static EngineFailure ofFrame(JsonNode frame, boolean hasOutput) {
    int code = EngineDialects.error(frame).path("code").asInt(DEFAULT_STATUS);
    int status = code >= 400 && code < 600 ? code : DEFAULT_STATUS;
    EngineFailure failure = classify(status, frame, "", OptionalLong.empty());
    return hasOutput && !(failure instanceof EngineFailure.Unable)
        ? new EngineFailure.Unable(DEFAULT_STATUS, failure.message(), OptionalLong.empty())
        : failure;
  }

  private static EngineFailure classify(
      int status, JsonNode json, String text, OptionalLong retryAfterMillis) {
    String message = message(json).orElse(text);
    String shown =
        message.isBlank()
            ? "the engine answered with status " + status
            : message.length() > SHOWN_CHARS ? message.substring(0, SHOWN_CHARS) : message;
    if (EngineFailure.Refused.isOfKey(status) || status == NOT_FOUND) {
      return new EngineFailure.Refused(status, shown);
    }
    if (status >= 400 && status < 500 && !EngineFailure.Unable.isTemporary(status)) {
      return new EngineFailure.Rejected(
          status, kind(status, json), shown, blamesLimit(status, json));
    }
    if (status == 501) {
      return new EngineFailure.Rejected(status, ErrorKind.INVALID_REQUEST, shown, false);
    }
    return new EngineFailure.Unable(status, shown, retryAfterMillis);
  }

  private static ErrorKind kind(int status, JsonNode json) {
    return status == 400 && EngineDialects.isPromptTooLong(EngineDialects.error(json))
        ? ErrorKind.CONTEXT_LENGTH_EXCEEDED
        : ErrorKind.INVALID_REQUEST;
  }

  private static boolean blamesLimit(int status, JsonNode json) {
    return status == 400 && EngineDialects.isLimitRefused(EngineDialects.error(json));
  }

  private static Optional<String> message(JsonNode json) {
    JsonNode error = EngineDialects.error(json);
    if (error.path("message").isTextual()) {
      return Optional.of(error.path("message").asText());
    }
    if (error.isTextual()) {
      return Optional.of(error.asText());
    }
    JsonNode detail = json.path("detail");
    return detail.isMissingNode()
        ? Optional.empty()
        : Optional.of(detail.isTextual() ? detail.asText() : detail.toString());
  }

  private static JsonNode parse(byte[] body) {
    try {
      return Json.tree(body);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  private static String text(byte[] body) {
    return new String(body, 0, Math.min(body.length, SHOWN_CHARS), StandardCharsets.UTF_8).strip();
  }

  /** Reads seconds; the header's date form is ignored. */
  private static OptionalLong retryAfterMillis(Optional<String> header) {
    try {
      return header.isPresent()
          ? OptionalLong.of(Math.max(0, Long.parseLong(header.get().strip())) * 1_000)
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
