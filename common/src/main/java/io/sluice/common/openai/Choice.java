package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A view of one choice in the JSON of an answer, of either endpoint: of all of it, or of what a
 * chunk of a stream adds to it. Immutable as long as the JSON is.
 *
 * @param json the choice as it stands in the answer
 * @param message what a chat says: the delta in a chunk, the message in a whole answer; a missing
 *     node in a completion
 */
public record Choice(JsonNode json, JsonNode message) {
  /** What a chat adds to a choice in a chunk. */
  public static final String DELTA = "delta";

  /** The text in a message or a delta of a chat. */
  public static final String CONTENT = "content";

  /** The text in a choice of a completion. */
  public static final String TEXT = "text";

  /** The ids of the tokens of a choice. */
  public static final String TOKEN_IDS = "token_ids";

  static final String MESSAGE = "message";

  /** The choice of an answer that has none. */
  public static final Choice NONE =
      new Choice(MissingNode.getInstance(), MissingNode.getInstance());

  private static final Set<String> ROLE = Set.of("role");
  private static final Set<String> ROLE_AND_CONTENT = Set.of("role", CONTENT);

  /** Returns the choices of a chunk. */
  public static List<Choice> ofChunk(JsonNode chunk) {
    JsonNode all = chunk.path(AnswerEnvelope.CHOICES);
    List<Choice> choices = new ArrayList<>(all.size());
    for (JsonNode choice : all) {
      choices.add(inChunk(choice));
    }
    return choices;
  }

  /** Returns the choices of a whole answer. */
  public static List<Choice> ofWhole(JsonNode answer) {
    JsonNode all = answer.path(AnswerEnvelope.CHOICES);
    List<Choice> choices = new ArrayList<>(all.size());
    for (JsonNode choice : all) {
      choices.add(inWhole(choice));
    }
    return choices;
  }

  /** Returns the first choice of a chunk. */
  public static Choice firstOfChunk(JsonNode chunk) {
    return inChunk(chunk.path(AnswerEnvelope.CHOICES).path(0));
  }

  /** Returns the text that a chunk adds to the first choice, also in several pieces. */
  public static String firstTextOfChunk(JsonNode chunk) {
    StringBuilder text = new StringBuilder();
    for (Choice choice : ofChunk(chunk)) {
      if (choice.index() == 0) {
        text.append(choice.text());
      }
    }
    return text.toString();
  }

  /** Returns the first choice of a whole answer. */
  public static Choice firstOfWhole(JsonNode answer) {
    return inWhole(answer.path(AnswerEnvelope.CHOICES).path(0));
  }

  private static Choice inChunk(JsonNode choice) {
    return new Choice(choice, choice.path(DELTA));
  }

  private static Choice inWhole(JsonNode choice) {
    return new Choice(choice, choice.path(MESSAGE));
  }

  /** Returns the number of the choice. */
  public int index() {
    return json.path("index").asInt(0);
  }

  /** Returns whether it is the choice of a chat. */
  public boolean hasMessage() {
    return !message.isMissingNode();
  }

  /** Returns its text, without the reasoning. */
  public String text() {
    JsonNode content = message.path(CONTENT);
    return Json.textValue(content.isTextual() ? content : json.path(TEXT));
  }

  /** Returns its reasoning. */
  public String reasoning() {
    return Reasoning.of(message);
  }

  /** Returns why the model refuses to answer; empty if it does not refuse. */
  public String refusal() {
    return Json.textValue(message.path("refusal"));
  }

  /** Returns its calls of tools, or what a chunk adds to them. */
  public List<ToolCall> toolCalls() {
    return ToolCall.in(message);
  }

  /** Returns the ids of its tokens; missing or empty if the engine does not report them. */
  public JsonNode tokenIds() {
    return json.path(TOKEN_IDS);
  }

  /** Returns its reasoning and its text, in the order in which they are generated. */
  public String allText() {
    return reasoning() + text();
  }

  /** Returns whether it has any output: text, or anything but the role in its message. */
  public boolean hasOutput() {
    return !text().isEmpty() || hasMoreThan(ROLE);
  }

  /** Returns whether it has nothing but text: no reasoning, no tool calls. */
  public boolean isPlainText() {
    return !hasMoreThan(ROLE_AND_CONTENT);
  }

  /** Returns whether it is the end of the choice. */
  public boolean isEnd() {
    return json.path("finish_reason").isTextual();
  }

  /** Returns why the choice ended; empty if it did not. */
  public Optional<String> finishReason() {
    return isEnd() ? Optional.of(json.path("finish_reason").textValue()) : Optional.empty();
  }

  /** Returns what the engine adds to the finish reason; null or missing if it adds nothing. */
  public JsonNode stopReason() {
    return json.path("stop_reason");
  }

  /**
   * Removes characters from the end of {@link #allText}, in the JSON itself.
   *
   * @return how many of them it did not have
   */
  public int shorten(int characters) {
    int left = shorten(json, TEXT, shorten(message, CONTENT, characters));
    return Reasoning.FIELDS.stream()
        .mapToInt(field -> shorten(message, field, left))
        .min()
        .orElse(left);
  }

  private static int shorten(JsonNode parent, String field, int characters) {
    if (parent instanceof ObjectNode object && object.path(field).isTextual()) {
      String text = object.path(field).textValue();
      int kept = Math.max(0, text.length() - characters);
      object.put(field, text.substring(0, kept));
      return characters - (text.length() - kept);
    }
    return characters;
  }

  private boolean hasMoreThan(Set<String> known) {
    for (var field : message.properties()) {
      if (!known.contains(field.getKey()) && !isEmpty(field.getValue())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isEmpty(JsonNode value) {
    return value.isTextual()
        ? value.textValue().isEmpty()
        : value.isNull() || (value.isContainerNode() && value.isEmpty());
  }
}
