package io.sluice.producer.batch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.ReplyEvent;
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
record ResultLine(
    Optional<String> customId, boolean isSuccess, boolean isSettled, ObjectNode json) {

  static ResultLine answered(String customId, Answer answer) {
    ObjectNode json = line("batch_req_" + answer.requestId(), Optional.of(customId));
    putResponse(json, 200, answer.requestId(), parse(answer.json()));
    return new ResultLine(Optional.of(customId), true, true, json.putNull("error"));
  }

  static ResultLine failed(String customId, String requestId, ReplyEvent.Failed failure) {
    ObjectNode json = line("batch_req_" + requestId, Optional.of(customId));
    boolean isSettled = isSettled(failure.kind().status());
    if (failure.kind() == ErrorKind.DEADLINE_EXCEEDED) {
      json.putNull("response");
      json.putObject("error").put("code", "batch_expired").put("message", failure.message());
    } else {
      putResponse(json, failure.kind().status(), requestId, parse(failure.json()));
      json.putNull("error");
    }
    return new ResultLine(Optional.of(customId), false, isSettled, json);
  }

  static ResultLine broken(long lineNumber, BatchLine.Broken broken) {
    ObjectNode json = line("batch_req_" + RequestId.next(), broken.customId());
    json.putNull("response");
    json.putObject("error")
        .put("code", broken.code())
        .put("message", "line " + lineNumber + ": " + broken.message())
        .put("line", lineNumber);
    return new ResultLine(broken.customId(), false, false, json);
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
              isSuccess || isSettled(status),
              json));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  byte[] bytes() {
    return (Json.text(json) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The request itself is the cause, not the load of the pool or a cancellation. */
  private static boolean isSettled(int status) {
    return status >= 400
        && status < 500
        && status != ErrorKind.OVERLOADED.status()
        && status != ErrorKind.CANCELLED.status()
        && status != ErrorKind.REPLY_TRUNCATED.status();
  }

  private static ObjectNode line(String id, Optional<String> customId) {
    ObjectNode json = Json.mapper().createObjectNode().put("id", id);
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
