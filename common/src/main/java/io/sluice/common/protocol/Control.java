package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a caller asks of a request that is already on its way; JSON on the control topic. */
public sealed interface Control {
  String requestId();

  /** End it. */
  record Cancel(String requestId) implements Control {}

  /** Move its deadline; what is read is never later than the end of the year 9999. */
  record Extend(String requestId, long deadlineEpochMillis) implements Control {}

  /** Change its priority. */
  record Reprioritise(String requestId, Priority priority) implements Control {}

  /** The message as JSON. */
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

  /** Reads a record's value; empty if it is no message, or null. */
  static Optional<Control> parse(byte @Nullable [] bytes) {
    try {
      JsonNode json = Json.callersTree(bytes);
      String requestId = json.path("request_id").asText();
      // What no request can be called is not remembered either.
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
