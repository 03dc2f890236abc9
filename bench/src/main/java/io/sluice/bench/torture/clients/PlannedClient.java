package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import java.time.Duration;

/**
 * An HTTP client as it was planned.
 *
 * @param number counted from 0
 * @param at when it sends its request
 * @param chat the chat request that it sends, or whose answer its response has
 */
record PlannedClient(int number, ClientKind kind, Duration at, ObjectNode chat) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Returns the path and the body of its request. */
  String endpoint() {
    return kind.isBackground() ? "/v1/responses" : "/v1/chat/completions";
  }

  String body() {
    return (kind.isBackground() ? response() : chat).toString();
  }

  private ObjectNode response() {
    ObjectNode body = JSON.createObjectNode();
    body.put("background", true).put("stream", kind == ClientKind.RESPONSE);
    body.set("model", chat.get("model"));
    body.set("input", chat.at("/messages/0/content"));
    body.set("temperature", chat.get("temperature"));
    body.set("max_output_tokens", chat.get("max_tokens"));
    return body;
  }

  /** Returns the request in the pool, as its id is known. */
  PlannedRequest request(String requestId, Duration timeout) {
    return PlannedRequest.of(requestId, RequestKind.OVER_HTTP, chat, "default", timeout);
  }
}
