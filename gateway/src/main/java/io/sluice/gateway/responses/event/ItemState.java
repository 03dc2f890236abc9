package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;

/** The identity and status of an output item. Not thread-safe. */
final class ItemState {
  private final String id;
  private final int index;
  private final String type;
  private String status = "in_progress";

  /**
   * @param id derived from the request and the index, so that every reader finds the same
   * @param index of the item in the output as it was streamed
   */
  ItemState(String id, int index, String type) {
    this.id = id;
    this.index = index;
    this.type = type;
  }

  boolean isOpen() {
    return status.equals("in_progress");
  }

  void end(String last) {
    status = last;
  }

  /** Returns the fields that all items have. */
  ObjectNode toJson() {
    return Json.mapper().createObjectNode().put("id", id).put("type", type).put("status", status);
  }

  /** Adds an event about the item. */
  ObjectNode about(String eventType, EventSequence events) {
    return events.add(eventType).put("item_id", id).put("output_index", index);
  }

  /** Adds an event that holds the item. */
  void whole(String eventType, ObjectNode item, EventSequence events) {
    events.add(eventType).put("output_index", index).set("item", item);
  }
}
