package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A caller's instruction about a request that it has already sent; JSON on the control topic. */
public sealed interface Control {
  String requestId();

  /** Cancels the request. */
  record Cancel(String requestId) implements Control {}

  /**
   * Changes the request's deadline. Parsed deadlines are never later than the end of the year 9999.
   */
  record Extend(String requestId, long deadlineEpochMillis) implements Control {}

  /** Changes the request's priority. */
  record Reprioritise(String requestId, Priority priority) implements Control {}

  /** Returns the message as JSON. */
  default byte[] toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    switch (this) {
      case Cancel ignored -> json.put("type", "cancel");
      case Extend extend ->
          json.put("type", "extend").put("deadline", extend.deadlineEpochMillis());
      case Reprioritise change ->
          json.put("type", "reprioritise").put("priority", change.priority().headerValue());
    }
    return Json.bytes(json.put("request_id", requestId()));
  }

  /** Parses a record's value; empty if it is null or not a control message. */
  static Optional<Control> parse(byte @Nullable [] bytes) {
    try {
      JsonNode json = Json.callersTree(bytes);
      String requestId = json.path("request_id").asText();
      // An id that no request can have is not worth remembering.
      if (json.path("request_id").isNull() || !RequestHeaders.isRequestId(requestId)) {
        return Optional.empty();
      }
      return switch (json.path("type").asText()) {
        case "cancel" -> Optional.of(new Cancel(requestId));
        case "extend" -> extend(requestId, json.path("deadline"));
        case "reprioritise" ->
            Priority.parse(json.path("priority").asText())
                .map(priority -> new Reprioritise(requestId, priority));
        default -> Optional.empty();
      };
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<Control> extend(String requestId, JsonNode deadline) {
    long latest = RequestHeaders.LATEST_DEADLINE_EPOCH_MILLIS;
    return deadline.canConvertToLong() && deadline.asLong() > 0
        ? Optional.of(new Extend(requestId, Math.min(deadline.asLong(), latest)))
        : Optional.empty();
  }
}
