package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;

/** A part of an item's content. Not thread-safe. */
final class TextPart {
  /** The kinds of text, with the names that OpenAI gives them. */
  enum Kind {
    OUTPUT_TEXT("output_text", "text"),
    REFUSAL("refusal", "refusal"),
    REASONING_TEXT("reasoning_text", "text");

    private final String type;
    private final String field;

    Kind(String type, String field) {
      this.type = type;
      this.field = field;
    }
  }

  private static final String LOGPROBS = "logprobs";

  private final ItemState item;
  private final int index;
  private final Kind kind;
  private final StringBuilder text = new StringBuilder();
  private final ArrayNode logprobs = Json.mapper().createArrayNode();
  private boolean isOpen = true;

  /**
   * Begins a part.
   *
   * @param index of the part in the item
   */
  TextPart(ItemState item, int index, Kind kind, EventSequence events) {
    this.item = item;
    this.index = index;
    this.kind = kind;
    about("response.content_part.added", events).set("part", toJson());
  }

  Kind kind() {
    return kind;
  }

  /**
   * Appends text.
   *
   * @param newLogprobs those of the text; missing if they were not asked for
   */
  void append(String delta, JsonNode newLogprobs, EventSequence events) {
    text.append(delta);
    ObjectNode event = about("response." + kind.type + ".delta", events).put("delta", delta);
    if (kind == Kind.OUTPUT_TEXT) {
      ArrayNode added = event.putArray(LOGPROBS);
      newLogprobs.forEach(added::add);
      logprobs.addAll(added);
    }
  }

  void close(EventSequence events) {
    if (isOpen) {
      isOpen = false;
      ObjectNode done = about("response." + kind.type + ".done", events);
      done.put(kind.field, text.toString());
      if (kind == Kind.OUTPUT_TEXT) {
        done.set(LOGPROBS, logprobs.deepCopy());
      }
      about("response.content_part.done", events).set("part", toJson());
    }
  }

  ObjectNode toJson() {
    ObjectNode json = Json.mapper().createObjectNode().put("type", kind.type);
    if (kind == Kind.OUTPUT_TEXT) {
      json.putArray("annotations");
      json.set(LOGPROBS, logprobs.deepCopy());
    }
    return json.put(kind.field, text.toString());
  }

  private ObjectNode about(String type, EventSequence events) {
    return item.about(type, events).put("content_index", index);
  }
}
