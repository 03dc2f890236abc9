package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import java.util.ArrayList;
import java.util.List;

/** Numbers events. Not thread-safe. */
final class EventSequence {
  private final List<ObjectNode> events = new ArrayList<>();
  private int nextNumber;

  /** Adds an event, which the caller completes before they are {@linkplain #drain taken}. */
  ObjectNode add(String type) {
    ObjectNode event = Json.mapper().createObjectNode().put("type", type);
    event.put("sequence_number", nextNumber++);
    events.add(event);
    return event;
  }

  /** Returns the number of the last event; -1 before the first. */
  int lastNumber() {
    return nextNumber - 1;
  }

  /** Takes the events that were added since. */
  List<ResponseEvent> drain() {
    List<ResponseEvent> drained =
        events.stream()
            .map(
                event ->
                    new ResponseEvent(
                        event.path("sequence_number").asInt(),
                        event.path("type").asText(),
                        Utf8Text.ofJson(event)))
            .toList();
    events.clear();
    return drained;
  }
}
