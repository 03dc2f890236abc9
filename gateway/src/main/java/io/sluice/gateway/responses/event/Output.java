package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.ToolCall;
import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The output items of a response. Text is open until something else follows; calls are open until
 * the end, because engines may write several at once. Not thread-safe.
 */
final class Output {
  private final String requestId;
  private final EventSequence events;
  private final List<OutputItem> items = new ArrayList<>();
  private final Map<Integer, CallItem> calls = new HashMap<>();
  private @Nullable TextItem text;
  private int nextIndex;

  Output(String requestId, EventSequence events) {
    this.requestId = requestId;
    this.events = events;
  }

  /** Adds the first choice of a chunk. */
  void add(JsonNode chunk) {
    for (Choice choice : Choice.ofChunk(chunk)) {
      if (choice.index() == 0) {
        addChoice(choice);
      }
    }
  }

  private void addChoice(Choice choice) {
    JsonNode none = MissingNode.getInstance();
    append(TextPart.Kind.REASONING_TEXT, choice.reasoning(), none);
    append(TextPart.Kind.REFUSAL, choice.refusal(), none);
    append(
        TextPart.Kind.OUTPUT_TEXT, choice.text(), choice.json().path("logprobs").path("content"));
    choice.toolCalls().forEach(this::addCall);
  }

  private void append(TextPart.Kind kind, String added, JsonNode logprobs) {
    if (added.isEmpty()) {
      return;
    }
    boolean isMessage = kind != TextPart.Kind.REASONING_TEXT;
    TextItem item = text;
    if (item == null || item.isMessage() != isMessage) {
      closeText();
      item =
          isMessage
              ? TextItem.message(requestId, nextIndex++, events)
              : TextItem.reasoning(requestId, nextIndex++, events);
      items.add(item);
      text = item;
    }
    item.append(kind, added, logprobs, events);
  }

  private void addCall(ToolCall delta) {
    closeText();
    CallItem call =
        calls.computeIfAbsent(
            delta.index(),
            _ -> {
              CallItem first = new CallItem(requestId, nextIndex++, delta, events);
              items.add(first);
              return first;
            });
    call.append(delta.arguments(), events);
  }

  private void closeText() {
    TextItem open = text;
    if (open != null) {
      open.close(OutputItem.COMPLETED, events);
      text = null;
    }
  }

  /** Ends the items that are open. */
  void close(String status) {
    items.forEach(item -> item.close(status, events));
    text = null;
  }

  /** Discards all items. The numbers of the next ones continue, because readers have seen these. */
  void restart() {
    close(OutputItem.INCOMPLETE);
    items.clear();
    calls.clear();
  }

  /** Returns the items as they are at present. */
  ArrayNode toJson() {
    ArrayNode array = Json.mapper().createArrayNode();
    items.forEach(item -> array.add(item.toJson()));
    return array;
  }
}
