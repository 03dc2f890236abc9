package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An item of a response's output, as far as it is known. Not thread-safe. */
sealed interface OutputItem permits TextItem, CallItem {
  String COMPLETED = "completed";
  String INCOMPLETE = "incomplete";

  /** Returns the item as it is at present. */
  ObjectNode toJson();

  /**
   * Ends the item with a status. Has no effect on an item that has ended.
   *
   * @param events receives the events of the end
   */
  void close(String status, EventSequence events);
}
