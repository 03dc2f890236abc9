package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.ToolCall;

/** A call of one of the caller's functions. Not thread-safe. */
final class CallItem implements OutputItem {
  private final ItemState state;
  private final String callId;
  private final String name;
  private final StringBuilder arguments = new StringBuilder();

  /**
   * Begins a call.
   *
   * @param first what the stream says first of it
   */
  CallItem(String requestId, int index, ToolCall first, EventSequence events) {
    this.state = new ItemState("fc_" + requestId + "_" + index, index, "function_call");
    this.callId = first.id().orElseGet(() -> "call_" + requestId + "_" + index);
    this.name = first.name();
    state.whole("response.output_item.added", toJson(), events);
  }

  /** Appends to the arguments. */
  void append(String delta, EventSequence events) {
    if (!delta.isEmpty()) {
      arguments.append(delta);
      state.about("response.function_call_arguments.delta", events).put("delta", delta);
    }
  }

  @Override
  public ObjectNode toJson() {
    return state
        .toJson()
        .put("call_id", callId)
        .put("name", name)
        .put("arguments", arguments.toString());
  }

  @Override
  public void close(String status, EventSequence events) {
    if (state.isOpen()) {
      state
          .about("response.function_call_arguments.done", events)
          .put("name", name)
          .put("arguments", arguments.toString());
      state.end(status);
      state.whole("response.output_item.done", toJson(), events);
    }
  }
}
