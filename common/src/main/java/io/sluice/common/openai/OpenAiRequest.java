package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The fields of a request's body that Sluice has to understand, read as vLLM reads them. All other
 * fields pass to the engine unchanged. Numbers of choices may be texts, as vLLM accepts them. Any
 * other field of the wrong type counts as absent; the engine reports what is wrong with it.
 * Thread-safe as long as the tree is not changed.
 *
 * @param json the body, an object; not to be changed
 */
public record OpenAiRequest(Endpoint endpoint, ObjectNode json) {
  /** The default of OpenAI and vLLM for completions. Chat completions have no default. */
  private static final int COMPLETIONS_MAX_TOKENS = 16;

  private static final List<String> LIMITS_OF_CHATS =
      List.of("max_completion_tokens", "max_tokens");
  private static final List<String> LIMITS_OF_COMPLETIONS = List.of("max_tokens");

  private static final List<String> STRUCTURES =
      List.of(
          "structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar");

  /** The fields of a part of a message that engines read as text; all others are media. */
  private static final Set<String> TEXTS_OF_PARTS = Set.of("type", "text", "refusal", "thinking");

  /**
   * Parses a body.
   *
   * @throws IOException if it is not a JSON object
   */
  public static OpenAiRequest parse(Endpoint endpoint, byte[] body) throws IOException {
    if (Json.tree(body) instanceof ObjectNode object) {
      return new OpenAiRequest(endpoint, object);
    }
    throw new IOException("the body is not a JSON object");
  }

  /** Returns a field of the body; a missing node if it is absent. */
  public JsonNode get(String field) {
    return json.path(field);
  }

  /** Returns whether a field asks for something: it is not null, false, or an empty container. */
  public boolean isSet(String field) {
    JsonNode value = get(field);
    return value.isBoolean()
        ? value.asBoolean()
        : json.hasNonNull(field) && !(value.isContainerNode() && value.isEmpty());
  }

  /** Returns the model that the caller asks for; empty if the body names none. */
  public String model() {
    return get("model").asText("");
  }

  /** Returns whether the caller asks for a stream. */
  public boolean isStream() {
    return get("stream").asBoolean(false);
  }

  /** Returns where the stream reports its usage. */
  public StreamUsage streamUsage() {
    return StreamUsage.askedBy(json);
  }

  /** Returns the messages of a chat. */
  public JsonNode messages() {
    return get("messages");
  }

  /** Returns the prompt of a completion: a text, token ids, or an array of either. */
  public JsonNode prompt() {
    return get("prompt");
  }

  /** Returns the texts of the messages and of the prompt, in order, without ids and images. */
  public List<String> promptTexts() {
    List<String> texts = new ArrayList<>();
    for (JsonNode message : messages()) {
      JsonNode content = message.path("content");
      addText(content, texts);
      content.forEach(part -> addText(part.path("text"), texts));
    }
    addText(prompt(), texts);
    prompt().forEach(part -> addText(part, texts));
    return texts;
  }

  /**
   * Returns how many characters of the messages are pictures, audio, video or files. This does not
   * tell how many tokens these take.
   */
  public int mediaCharacters() {
    int characters = 0;
    for (JsonNode message : messages()) {
      for (JsonNode part : message.path("content")) {
        for (Map.Entry<String, JsonNode> field : part.properties()) {
          characters +=
              TEXTS_OF_PARTS.contains(field.getKey()) ? 0 : JsonSizes.characters(field.getValue());
        }
      }
    }
    return characters;
  }

  /** Returns the number of prompts, at least 1. */
  public int prompts() {
    boolean isList =
        endpoint == Endpoint.COMPLETIONS && prompt().isArray() && !prompt().path(0).isNumber();
    return isList ? Math.max(1, prompt().size()) : 1;
  }

  /** Returns the number of choices for each prompt, at least 1. */
  public int choices() {
    return atLeastOne("n");
  }

  /** Returns from how many choices the engine selects those that it returns, at least 1. */
  public int bestOf() {
    return atLeastOne("best_of");
  }

  /** Returns whether the request has one prompt, not in an array of its own, and one choice. */
  public boolean isOneAnswer() {
    boolean isOnePrompt =
        endpoint == Endpoint.CHAT_COMPLETIONS
            || prompt().isTextual()
            || (prompt().isArray() && prompt().path(0).isInt());
    return isOnePrompt && choices() == 1 && bestOf() == 1;
  }

  /**
   * Returns the fields that limit the output, in order of precedence: the first that is not null
   * applies.
   */
  public static List<String> limits(Endpoint endpoint) {
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> LIMITS_OF_CHATS;
      case COMPLETIONS -> LIMITS_OF_COMPLETIONS;
    };
  }

  /** Returns the limit of the output as it stands in the body; a missing node if there is none. */
  public JsonNode limit() {
    return limits(endpoint).stream()
        .filter(json::hasNonNull)
        .findFirst()
        .map(json::path)
        .orElse(MissingNode.getInstance());
  }

  /**
   * Returns the most tokens that each choice may have, with the endpoint's default if the body sets
   * no limit. Empty if the engine decides, which is also the meaning of an explicit null, or if the
   * limit is not an integer.
   */
  public OptionalInt maxTokens() {
    if (endpoint == Endpoint.COMPLETIONS && !json.has("max_tokens")) {
      return OptionalInt.of(COMPLETIONS_MAX_TOKENS);
    }
    JsonNode limit = limit();
    return limit.isIntegralNumber() && limit.canConvertToInt()
        ? OptionalInt.of(limit.asInt())
        : OptionalInt.empty();
  }

  /**
   * Returns whether the answer may have a token: the limit allows one, or there is none. A limit
   * that is not a number allows nothing, whichever of the limits it is.
   */
  public boolean allowsTokens() {
    return maxTokens().orElse(1) >= 1
        && limits(endpoint).stream()
            .filter(json::hasNonNull)
            .allMatch(limit -> get(limit).canConvertToInt());
  }

  /** Returns the temperature, with the default of engines if the body sets none. */
  public double temperature() {
    return get("temperature").asDouble(1);
  }

  /** Returns whether the answer is sampled, so that more than one text is right. */
  public boolean isSampled() {
    return temperature() > 0 && get("top_k").asInt(0) != 1;
  }

  /** Returns the texts at which the answer ends. */
  public List<String> stopTexts() {
    List<String> texts = new ArrayList<>();
    addText(get("stop"), texts);
    get("stop").forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** Returns whether the answer shows the stop text that ended it. */
  public boolean keepsStopText() {
    return get("include_stop_str_in_output").asBoolean(false);
  }

  /** Returns whether the answer shows token ids. */
  public boolean asksForTokenIds() {
    return get("return_token_ids").asBoolean(false);
  }

  /** Returns whether the answer has log probabilities. */
  public boolean hasLogprobs() {
    return get("logprobs").asBoolean(false) || get("logprobs").isIntegralNumber();
  }

  /** Returns whether the answer has log probabilities of the prompt. */
  public boolean hasPromptLogprobs() {
    return json.hasNonNull("prompt_logprobs");
  }

  /** Returns whether the model may call tools. */
  public boolean hasTools() {
    return !get("tools").isEmpty();
  }

  /** Returns whether the answer has to follow a schema or a grammar. */
  public boolean isStructured() {
    return !get("response_format").path("type").asText("text").equals("text")
        || STRUCTURES.stream().anyMatch(json::hasNonNull);
  }

  /** Returns whether the answer is the result of a beam search. */
  public boolean isBeamSearch() {
    return get("use_beam_search").asBoolean(false);
  }

  private int atLeastOne(String field) {
    return Math.clamp(get(field).asLong(1), 1, Integer.MAX_VALUE);
  }

  private static void addText(JsonNode node, List<String> texts) {
    if (node.isTextual()) {
      texts.add(node.asText());
    }
  }
}
