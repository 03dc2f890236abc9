package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.responses.chat.ChatBody;
import io.sluice.gateway.responses.chat.InvalidFieldException;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Responses that are lines of batches. No client waits for them, and they are stored in the output
 * of their batch alone: {@code stream}, {@code background} and {@code store} have no effect.
 * Thread-safe.
 */
@Singleton
public final class BatchedResponses {
  private final Pool pool;
  private final Conversation conversation;
  private final JsonMemory memory;

  BatchedResponses(Pool pool, Conversation conversation, JsonMemory memory) {
    this.pool = pool;
    this.conversation = conversation;
    this.memory = memory;
  }

  /**
   * Prepares the request to the pool, and passes it on while there is memory for its tree. Blocks a
   * bounded time.
   *
   * @param body that of {@code POST /v1/responses}
   * @param sender must not keep the request
   * @throws ApiException if a field is wrong, if the previous response cannot be read, or if there
   *     is no memory in time
   */
  public void request(
      byte[] body, HttpHeaders headers, Caller caller, Consumer<InferenceRequest.Builder> sender)
      throws InterruptedException {
    Conversation.Earlier earlier = conversation.before(body, caller);
    try (TenantShares.Share _ = memory.take(caller.tenant(), body, earlier.json())) {
      sender.accept(pool.chat(chat(body, earlier), headers, caller));
    }
  }

  private static ObjectNode chat(byte[] body, Conversation.Earlier earlier) {
    try {
      return ChatBody.of(batched(body), earlier.messages());
    } catch (InvalidFieldException e) {
      throw Submission.refusal(e);
    }
  }

  /**
   * Returns the response, as JSON.
   *
   * @param body that of {@code POST /v1/responses}
   * @param answer the answer to its request
   */
  public static String response(byte[] body, Caller caller, Answer answer) {
    JsonNode chat = Json.known(answer.json());
    Instant createdAt = Instant.ofEpochSecond(chat.path("created").asLong());
    ResponseEvents events =
        new ResponseEvents(
            new CreatedResponse(
                answer.requestId(),
                caller.tenant(),
                createdAt,
                createdAt,
                Map.of(),
                batched(body),
                Json.mapper().createArrayNode()));
    events.whole(answer, chat);
    return Json.text(events.response());
  }

  private static ObjectNode batched(byte[] body) {
    ObjectNode request = JsonBody.parse(body);
    request.remove("stream");
    request.remove("background");
    return request.put("store", false);
  }
}
