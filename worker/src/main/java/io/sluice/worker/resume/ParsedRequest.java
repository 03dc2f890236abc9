package io.sluice.worker.resume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.RequestedOutput;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The parts of a request's body that a worker has to understand. All other fields go to the engine
 * unchanged.
 */
public final class ParsedRequest {
  private final Endpoint endpoint;
  private final ObjectNode json;

  private ParsedRequest(Endpoint endpoint, ObjectNode json) {
    this.endpoint = endpoint;
    this.json = json;
  }

  /**
   * Parses a body.
   *
   * @throws IOException if it is not a JSON object
   */
  public static ParsedRequest parse(Endpoint endpoint, byte[] body) throws IOException {
    if (Json.tree(body) instanceof ObjectNode object) {
      return new ParsedRequest(endpoint, object);
    }
    throw new IOException("the body is not a JSON object");
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** Whether the caller asked for a stream. */
  public boolean isStream() {
    return json.path("stream").asBoolean(false);
  }

  /** The model that the caller asked for; empty if the body names none. */
  public String model() {
    return json.path("model").asText("");
  }

  /** A field of the body; missing if it is absent. */
  public JsonNode get(String field) {
    return json.path(field);
  }

  /** The whole body; not to be changed. */
  public JsonNode json() {
    return json;
  }

  /** A copy of the body that may be changed. */
  public ObjectNode copy() {
    return json.deepCopy();
  }

  /** The most output tokens that the answer may have; empty if the engine decides. */
  public OptionalInt maxTokens() {
    return RequestedOutput.of(json, endpoint);
  }

  /** Whether the answer is sampled, so that more than one text is right. */
  public boolean isSampled() {
    return json.path("temperature").asDouble(1) > 0 && json.path("top_k").asInt(0) != 1;
  }

  /** Whether engines do not stream the answer to such a request. */
  public boolean isWhole() {
    boolean hasPromptLogprobs = json.hasNonNull("prompt_logprobs");
    return !isStream() && (hasPromptLogprobs || json.path("use_beam_search").asBoolean(false));
  }

  /** The texts at which the answer ends. */
  public List<String> stopTexts() {
    JsonNode stop = json.path("stop");
    List<String> texts = new ArrayList<>();
    if (stop.isTextual()) {
      texts.add(stop.asText());
    }
    stop.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** Whether the caller wants to see token ids. */
  public boolean asksForTokenIds() {
    return json.path("return_token_ids").asBoolean(false);
  }

  /** Whether the caller wants to see the stop text that ended the answer. */
  public boolean keepsStopText() {
    return json.path("include_stop_str_in_output").asBoolean(false);
  }
}
