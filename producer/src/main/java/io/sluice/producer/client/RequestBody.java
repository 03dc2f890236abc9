package io.sluice.producer.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The OpenAI body of a request while it is built, as a tree and as bytes. It is encoded once, when
 * its bytes are first needed, and copied once, when a tree that others hold is changed. Not
 * thread-safe.
 */
final class RequestBody {
  private final Endpoint endpoint;
  private ObjectNode json;

  /** What {@link #json} is as bytes; null until it is encoded. */
  private byte @Nullable [] bytes;

  /** Whether nobody else holds the tree, so that it may be changed. */
  private boolean isOwnTree;

  private RequestBody(
      Endpoint endpoint, ObjectNode json, byte @Nullable [] bytes, boolean isOwnTree) {
    this.endpoint = endpoint;
    this.json = json;
    this.bytes = bytes;
    this.isOwnTree = isOwnTree;
  }

  /**
   * Reads a body.
   *
   * @throws IllegalArgumentException if it is not a JSON object, or has more levels or values than
   *     the pool accepts
   */
  static RequestBody parse(Endpoint endpoint, byte[] body) {
    try {
      if (Json.callersTree(body) instanceof ObjectNode json) {
        return new RequestBody(endpoint, json, body.clone(), false);
      }
      throw new IllegalArgumentException("the body must be a JSON object");
    } catch (IOException e) {
      throw new IllegalArgumentException("the body is not JSON: " + firstLine(e), e);
    }
  }

  /** Returns the body that is this tree, which others hold too. */
  static RequestBody shared(Endpoint endpoint, ObjectNode json) {
    return new RequestBody(endpoint, json, null, false);
  }

  /** Returns the body that is this tree, which nobody else holds. */
  static RequestBody own(Endpoint endpoint, ObjectNode json) {
    return new RequestBody(endpoint, json, null, true);
  }

  /** Returns a body of the same content, to be changed independently. */
  RequestBody copy() {
    isOwnTree = false;
    return new RequestBody(endpoint, json, bytes, false);
  }

  /** Sets a field and replaces an existing value. */
  void set(String field, Object value) {
    if (!isOwnTree) {
      json = json.deepCopy();
      isOwnTree = true;
    }
    json.set(field, Json.mapper().valueToTree(value));
    bytes = null;
  }

  /** Returns what the body says. It does not follow later changes. */
  OpenAiRequest openAi() {
    isOwnTree = false;
    return new OpenAiRequest(endpoint, json);
  }

  /** Returns the body as it is sent. */
  byte[] bytes() {
    byte[] encoded = bytes == null ? Json.bytes(json) : bytes;
    bytes = encoded;
    return encoded;
  }

  private static String firstLine(IOException e) {
    String message =
        e instanceof JsonProcessingException json
            ? json.getOriginalMessage()
            : String.valueOf(e.getMessage());
    return message.lines().findFirst().orElse("unreadable");
  }
}
