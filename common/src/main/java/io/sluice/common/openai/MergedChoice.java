package io.sluice.common.openai;

import static io.sluice.common.openai.Choice.CONTENT;
import static io.sluice.common.openai.Choice.DELTA;
import static io.sluice.common.openai.Choice.MESSAGE;
import static io.sluice.common.openai.Choice.TEXT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Map;
import java.util.Optional;

/**
 * One choice of an answer, merged from any number of streamed chunks as {@link MergedObject}
 * describes. Not thread-safe.
 */
public final class MergedChoice {
  private final int index;
  private final MergedObject message;
  private final MergedObject others;
  private Optional<JsonNode> finishReason = Optional.empty();
  private Optional<JsonNode> stopReason = Optional.empty();

  /** Creates a choice without content. */
  public MergedChoice(int index) {
    this(index, MergedObject.Kept.TREES);
  }

  private MergedChoice(int index, MergedObject.Kept kept) {
    this.index = index;
    this.message = MergedObject.ofDeltas(kept);
    this.others = MergedObject.ofValues(kept);
  }

  /**
   * Creates a choice without content that keeps long lists, such as log probabilities, as text: its
   * JSON is good only for writing.
   */
  public static MergedChoice compact(int index) {
    return new MergedChoice(index, MergedObject.Kept.TEXTS);
  }

  /**
   * Creates a choice that knows how much it has, but not what: good only for {@link #removeFrom}.
   */
  public static MergedChoice measured(int index) {
    return new MergedChoice(index, MergedObject.Kept.LENGTHS);
  }

  /** Starts the choice with text that precedes all chunks. */
  public void begin(String earlier) {
    message.add(CONTENT, Json.mapper().getNodeFactory().textNode(earlier));
  }

  /** Merges the choice of a chunk, in the format of either endpoint. */
  public void add(JsonNode choice) {
    for (Map.Entry<String, JsonNode> field : choice.properties()) {
      JsonNode value = field.getValue();
      switch (field.getKey()) {
        case "index", "finish_reason", "stop_reason", MESSAGE -> {}
        case DELTA -> message.add(value);
        case TEXT -> message.add(CONTENT, value);
        default -> {
          if (!value.isNull()) {
            others.add(field.getKey(), value);
          }
        }
      }
    }
    if (choice.path("finish_reason").isTextual()) {
      finishReason = Optional.of(choice.path("finish_reason"));
      stopReason = Optional.of(choice.path("stop_reason")).filter(node -> !node.isMissingNode());
    }
  }

  /**
   * Merges text that a chunk adds.
   *
   * @param field {@code text} of a completion, or a field of a chat's delta
   */
  public void addText(String field, String piece) {
    message.addText(field.equals(TEXT) ? CONTENT : field, piece);
  }

  /**
   * Removes from a whole choice in the form of a chunk's, of which this one is the beginning, what
   * this one has: it is left with what has to be merged into this one.
   */
  public void removeFrom(ObjectNode choice) {
    others.removeFrom(choice);
    if (choice.path(DELTA) instanceof ObjectNode delta) {
      message.removeFrom(delta);
    } else if (choice.path(TEXT).isTextual()) {
      choice.put(TEXT, message.rest(CONTENT, choice.path(TEXT).textValue()));
    }
  }

  /** Returns why the choice ended; empty while it has not ended. */
  public Optional<String> finishReason() {
    return finishReason.map(JsonNode::asText);
  }

  /** Returns what the engine adds to the finish reason; empty if it adds nothing. */
  public Optional<JsonNode> stopReason() {
    return stopReason.filter(reason -> !reason.isNull());
  }

  /** Returns the choice as it stands in a chunk. The finish reason is left to the closing chunk. */
  public ObjectNode toChunk(Endpoint endpoint) {
    ObjectNode choice = open();
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put(TEXT, message.text(CONTENT));
    } else {
      choice.set(DELTA, message.toJson());
    }
    choice.putNull("logprobs");
    choice.putNull("finish_reason");
    choice.setAll(others.toJson());
    return choice;
  }

  /**
   * Returns the choice as it stands in the closing chunk of a stream, without a finish reason if
   * none is known.
   */
  public ObjectNode toClosingChunk(Endpoint endpoint) {
    ObjectNode choice = open();
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put(TEXT, "");
    } else {
      choice.putObject(DELTA);
    }
    choice.putNull("logprobs");
    return finished(choice);
  }

  /**
   * Returns the choice as it stands in a whole answer, without a finish reason if none is known.
   */
  public ObjectNode toWhole(Endpoint endpoint) {
    ObjectNode choice = open();
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put(TEXT, message.text(CONTENT));
    } else {
      choice.set(MESSAGE, wholeMessage());
    }
    choice.putNull("logprobs");
    choice.setAll(others.toJson());
    return finished(choice);
  }

  private ObjectNode wholeMessage() {
    ObjectNode whole = Json.mapper().createObjectNode().put("role", "assistant").putNull(CONTENT);
    whole.setAll(message.toJson());
    if (whole.path("role").isNull()) {
      whole.put("role", "assistant");
    }
    if (whole.path(ToolCall.FIELD) instanceof ArrayNode calls) {
      for (JsonNode call : calls) {
        if (call instanceof ObjectNode object) {
          object.remove("index");
        }
      }
      if (calls.isEmpty()) {
        whole.remove(ToolCall.FIELD);
      }
    }
    return whole;
  }

  private ObjectNode open() {
    return Json.mapper().createObjectNode().put("index", index);
  }

  private ObjectNode finished(ObjectNode choice) {
    choice.set("finish_reason", finishReason.orElse(NullNode.getInstance()));
    stopReason.ifPresent(reason -> choice.set("stop_reason", reason));
    return choice;
  }
}
