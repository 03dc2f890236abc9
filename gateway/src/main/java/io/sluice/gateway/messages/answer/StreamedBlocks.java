package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.ToolCall;
import io.sluice.common.protocol.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The content blocks of one streamed message. One block is open at a time. Not thread-safe. */
final class StreamedBlocks {
  private enum Open {
    NONE,
    THINKING,
    TEXT,
    TOOL_USE
  }

  private final String requestId;

  /** The blocks of the calls, by the index that a chat gives a call. */
  private final Map<Integer, Integer> calls = new HashMap<>();

  private int last = -1;
  private Open open = Open.NONE;

  StreamedBlocks(String requestId) {
    this.requestId = requestId;
  }

  boolean hasBegun() {
    return last >= 0;
  }

  boolean hasCalls() {
    return !calls.isEmpty();
  }

  /** Adds the events of the next content. */
  void add(ChatContent content, List<ObjectNode> events) {
    if (!content.reasoning().isEmpty()) {
      openIfOther(Open.THINKING, ContentBlock.thinking("", ""), events);
      events.add(delta(last, "thinking_delta", "thinking", content.reasoning()));
    }
    if (!content.text().isEmpty()) {
      openIfOther(Open.TEXT, ContentBlock.text(""), events);
      events.add(delta(last, "text_delta", "text", content.text()));
    }
    for (ToolCall call : content.calls()) {
      addCall(call, events);
    }
  }

  /** Ends the block that is open, if one is. */
  void close(List<ObjectNode> events) {
    if (open == Open.THINKING) {
      events.add(delta(last, "signature_delta", "signature", requestId));
    }
    if (open != Open.NONE) {
      events.add(MessageEvents.event("content_block_stop").put("index", last));
    }
    open = Open.NONE;
  }

  /** Calls come one after the other; what comes late is added to the block that it belongs to. */
  private void addCall(ToolCall call, List<ObjectNode> events) {
    int index = call.index();
    if (!calls.containsKey(index)) {
      String id = "toolu_" + requestId + "_" + index;
      open(Open.TOOL_USE, ContentBlock.call(call, id, Json.mapper().createObjectNode()), events);
      calls.put(index, last);
    }
    if (!call.arguments().isEmpty()) {
      events.add(delta(calls.get(index), "input_json_delta", "partial_json", call.arguments()));
    }
  }

  private void openIfOther(Open type, ObjectNode block, List<ObjectNode> events) {
    if (open != type) {
      open(type, block, events);
    }
  }

  private void open(Open type, ObjectNode block, List<ObjectNode> events) {
    close(events);
    open = type;
    last++;
    ObjectNode event = MessageEvents.event("content_block_start").put("index", last);
    event.set("content_block", block);
    events.add(event);
  }

  private static ObjectNode delta(int index, String type, String name, String value) {
    ObjectNode event = MessageEvents.event("content_block_delta").put("index", index);
    event.putObject("delta").put("type", type).put(name, value);
    return event;
  }
}
