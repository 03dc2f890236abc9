package io.sluice.producer.batch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.producer.reply.ReplyEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A line of an output file, in the format of OpenAI's Batch API. An error of a request is in {@code
 * response}, as an HTTP client would receive it; {@code error} is for lines without a response.
 *
 * @param customId empty for an input line that has none
 * @param isSuccess whether it is an answer
 * @param isSettled whether running the request again would give the same result
 */
public record ResultLine(
    Optional<String> customId, boolean isSuccess, boolean isSettled, ObjectNode json) {

  private static final String ID_PREFIX = "batch_req_";

  /**
   * Returns the line of a request that was answered.
   *
   * @param body the answer, as JSON
   */
  public static ResultLine answered(String customId, String requestId, String body) {
    ObjectNode json = line(requestId, Optional.of(customId));
    putResponse(json, 200, requestId, parse(body));
    return new ResultLine(Optional.of(customId), true, true, json.putNull("error"));
  }

  /** Returns the line of a request that ended with an error. */
  public static ResultLine failed(String customId, String requestId, ReplyEvent.Failed failure) {
    if (failure.kind() == ErrorKind.DEADLINE_EXCEEDED) {
      return withoutResponse(
          requestId, Optional.of(customId), LineErrorCode.BATCH_EXPIRED, failure.message());
    }
    return refused(customId, requestId, failure.kind().status(), failure.json());
  }

  /**
   * Returns the line of a request that got an error.
   *
   * @param status the HTTP status of the error
   * @param error the error in OpenAI's format
   */
  public static ResultLine refused(String customId, String requestId, int status, String error) {
    ObjectNode json = line(requestId, Optional.of(customId));
    putResponse(json, status, requestId, parse(error));
    json.putNull("error");
    return new ResultLine(Optional.of(customId), false, ErrorKind.isSettled(status), json);
  }

  /**
   * Returns the line of an input line that is not a request.
   *
   * @param requestId names the result; no request has it
   */
  public static ResultLine broken(String requestId, long lineNumber, BatchLine.Broken broken) {
    ResultLine line =
        withoutResponse(
            requestId,
            broken.customId(),
            broken.code(),
            "line " + lineNumber + ": " + broken.message());
    ((ObjectNode) line.json().path("error")).put("line", lineNumber);
    return line;
  }

  /** Returns the line of a request that was not run, such as one after the end of its batch. */
  public static ResultLine withoutResponse(
      String requestId, Optional<String> customId, LineErrorCode code, String message) {
    ObjectNode json = line(requestId, customId);
    json.putNull("response");
    json.putObject("error").put("code", code.code()).put("message", message);
    return new ResultLine(customId, false, false, json);
  }

  /** Parses a line that an earlier run has written; empty if it is not one. */
  static Optional<ResultLine> parse(byte[] text) {
    try {
      if (!(Json.tree(text) instanceof ObjectNode json)
          || !json.has("custom_id")
          || !json.has("response")) {
        return Optional.empty();
      }
      JsonNode id = json.path("custom_id");
      int status = json.path("response").path("status_code").asInt(0);
      boolean isSuccess = status == 200 && json.path("error").isNull();
      return Optional.of(
          new ResultLine(
              id.isTextual() ? Optional.of(id.asText()) : Optional.empty(),
              isSuccess,
              isSuccess || ErrorKind.isSettled(status),
              json));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the line as it is written, with its line end. */
  public byte[] bytes() {
    return (Json.text(json) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static ObjectNode line(String requestId, Optional<String> customId) {
    ObjectNode json = Json.mapper().createObjectNode().put("id", ID_PREFIX + requestId);
    customId.ifPresentOrElse(
        known -> json.put("custom_id", known), () -> json.putNull("custom_id"));
    return json;
  }

  private static void putResponse(ObjectNode json, int status, String requestId, JsonNode body) {
    ObjectNode response = json.putObject("response");
    response.put("status_code", status).put("request_id", requestId).set("body", body);
  }

  private static JsonNode parse(String json) {
    try {
      return Json.tree(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Json.mapper().createObjectNode().put("unparsed", json);
    }
  }
}
