package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.RequestedOutput;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineDialect;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A request's body as far as a worker must understand it; all else goes to the engine as it is. */
final class RequestBody {
  private final Endpoint endpoint;
  private final ObjectNode json;

  private RequestBody(Endpoint endpoint, ObjectNode json) {
    this.endpoint = endpoint;
    this.json = json;
  }

  /**
   * Parses a body.
   *
   * @throws IOException if it is no JSON object
   */
  static RequestBody parse(Endpoint endpoint, byte[] body) throws IOException {
    if (Json.tree(body) instanceof ObjectNode object) {
      return new RequestBody(endpoint, object);
    }
    throw new IOException("the body is not a JSON object");
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /** Whether the caller asked for a stream. */
  boolean isStream() {
    return json.path("stream").asBoolean(false);
  }

  /** The model that the caller asked for; empty if it names none. */
  String model() {
    return json.path("model").asText("");
  }

  /** A field of the body; missing if it is absent. */
  JsonNode get(String field) {
    return json.path(field);
  }

  /** The whole body; not to be changed. */
  JsonNode json() {
    return json;
  }

  /** A copy of the body that may be changed. */
  ObjectNode copy() {
    return json.deepCopy();
  }

  /** The most output tokens that the answer may have; empty if the engine decides. */
  OptionalInt maxTokens() {
    return RequestedOutput.of(json, endpoint);
  }

  /** Whether the answer is drawn by chance, so that no text is the only right one. */
  boolean isDrawn() {
    return json.path("temperature").asDouble(1) > 0 && json.path("top_k").asInt(0) != 1;
  }

  /** Whether engines give the answer only as a whole. */
  boolean isWhole() {
    boolean hasPromptLogprobs = json.hasNonNull("prompt_logprobs");
    return !isStream() && (hasPromptLogprobs || json.path("use_beam_search").asBoolean(false));
  }

  /** The texts at which the answer ends. */
  List<String> stopTexts() {
    JsonNode stop = json.path("stop");
    List<String> texts = new ArrayList<>();
    if (stop.isTextual()) {
      texts.add(stop.asText());
    }
    stop.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** Whether the caller wants to see token ids. */
  boolean asksForTokenIds() {
    return json.path("return_token_ids").asBoolean(false);
  }

  /** Whether the caller wants to see the stop text that ended the answer. */
  boolean keepsStopText() {
    return json.path("include_stop_str_in_output").asBoolean(false);
  }

  /**
   * What the engine gets: a stream, with running usage where its dialect has that, or a whole
   * answer where it gives no stream; the rest as the caller wrote it.
   *
   * @param model replaces the caller's
   * @param withIds whether the engine is asked for token ids; its dialect must support them
   */
  byte[] forEngine(
      EngineDialect dialect, Optional<String> model, Continuation continuation, boolean withIds) {
    ObjectNode body = copy();
    if (endpoint == Endpoint.COMPLETIONS && !body.has("max_tokens")) {
      // Not every engine has this default, and a resume must not end earlier.
      maxTokens().ifPresent(limit -> body.put("max_tokens", limit));
    }
    if (!isWhole()) {
      dialect.askForStream(body);
    }
    model.ifPresent(name -> body.put("model", name));
    if (continuation.tokens() > 0) {
      lessen(body, continuation.tokens());
    }
    continuation.left().ifPresent(left -> body.put("max_tokens", left));
    if (withIds) {
      dialect.tokenIds().ifPresent(ids -> ids.askForIds(body, !stopTexts().isEmpty()));
    }
    continuation.applyTo(body);
    return Json.bytes(body);
  }

  private void lessen(ObjectNode body, int made) {
    RequestedOutput.fields(endpoint).forEach(field -> subtract(body, field, made, 1));
    subtract(body, "min_tokens", made, 0);
  }

  private static void subtract(ObjectNode body, String field, int made, int least) {
    if (body.path(field).canConvertToInt()) {
      body.put(field, Math.max(least, body.path(field).asInt() - made));
    }
  }
}
