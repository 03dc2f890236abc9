package io.sluice.gateway.responses.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * A response that was asked for: all that is needed to ask the pool for it again, and to show it.
 *
 * @param tenant for whom the response exists
 * @param createdAt when it was asked for, as its id tells
 * @param deadline until when the pool may answer
 * @param headers those of the caller's headers that the pool follows, by name
 * @param request the caller's body, which must not be changed
 * @param earlier the chat messages of the conversation before, which must not be changed
 */
public record CreatedResponse(
    String requestId,
    String tenant,
    Instant createdAt,
    Instant deadline,
    Map<String, String> headers,
    ObjectNode request,
    ArrayNode earlier)
    implements ResponseRecord {
  /** The fields of a request that say how its response is made. */
  static final Set<String> FLAGS = Set.of("background", "store", "stream");

  /** The fields of a request that its response repeats, and those that say how it is made. */
  static final Set<String> SHOWN =
      Set.of(
          "background",
          "instructions",
          "max_output_tokens",
          "max_tool_calls",
          "metadata",
          "model",
          "parallel_tool_calls",
          "previous_response_id",
          "prompt_cache_key",
          "reasoning",
          "safety_identifier",
          "service_tier",
          "store",
          "stream",
          "temperature",
          "text",
          "tool_choice",
          "tools",
          "top_logprobs",
          "top_p",
          "truncation",
          "user");

  public CreatedResponse {
    headers = Map.copyOf(headers);
  }

  /** Returns the id that the caller knows. */
  public String id() {
    return ResponseId.of(requestId);
  }

  /** Returns whether the response continues without its caller. */
  public boolean isBackground() {
    return request.path("background").asBoolean(false);
  }

  /** Returns whether the response can be asked for later. */
  public boolean isStored() {
    return request.path("store").asBoolean(true);
  }

  /** Returns whether the caller reads the response as it is made. */
  public boolean isStreamed() {
    return request.path("stream").asBoolean(false);
  }

  /** Returns whether its caller asks for the answer later. */
  public boolean isPosted() {
    return isBackground() && !isStreamed();
  }

  /** Returns what is needed to show the response, without what it answers. */
  public CreatedResponse shown() {
    return with(SHOWN);
  }

  /** Returns what is needed to follow the response, without anything that may be long. */
  public CreatedResponse withoutContent() {
    return with(FLAGS);
  }

  private CreatedResponse with(Set<String> fields) {
    ObjectNode kept = request.objectNode();
    request.properties().stream()
        .filter(field -> fields.contains(field.getKey()))
        .forEach(field -> kept.set(field.getKey(), field.getValue()));
    return new CreatedResponse(
        requestId, tenant, createdAt, deadline, headers, kept, request.arrayNode());
  }

  /** Returns the response that an earlier request with the same input asked for. */
  public CreatedResponse ofEarlier(String earlierId) {
    Instant earlier = RequestId.timeOf(earlierId).orElse(createdAt);
    return new CreatedResponse(
        earlierId, tenant, earlier, earlier.plus(patience()), headers, request, this.earlier);
  }

  /** Returns how long the answer is wanted. */
  public Duration patience() {
    return Duration.between(createdAt, deadline);
  }
}
