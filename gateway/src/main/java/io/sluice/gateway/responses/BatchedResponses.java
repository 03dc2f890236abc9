package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.responses.chat.ChatBody;
import io.sluice.gateway.responses.chat.InvalidFieldException;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Responses that are lines of batches. No client waits for them, and they are stored in the output
 * of their batch alone: {@code stream}, {@code background} and {@code store} have no effect.
 * Thread-safe.
 */
@Singleton
public final class BatchedResponses {
  private final Pool pool;
  private final Conversation conversation;

  BatchedResponses(Pool pool, Conversation conversation) {
    this.pool = pool;
    this.conversation = conversation;
  }

  /** A response that is not parsed yet, and what was said before it. */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  public record Draft(byte[] body, Conversation.Earlier earlier) {
    /** Returns what its request is made of. */
    public List<byte[]> json() {
      return List.of(body, earlier.json());
    }
  }

  /**
   * Prepares a response. Blocks a bounded time if it continues another one.
   *
   * @param body that of {@code POST /v1/responses}
   * @throws ApiException if the previous response cannot be read
   */
  public Draft draft(byte[] body, Caller caller) throws InterruptedException {
    return new Draft(body, conversation.before(body, caller));
  }

  /**
   * Returns the request to the pool.
   *
   * @throws ApiException if a field is wrong
   */
  public InferenceRequest.Builder request(Draft draft, HttpHeaders headers, Caller caller) {
    try {
      ObjectNode chat = ChatBody.of(batched(draft.body()), draft.earlier().messages());
      return pool.chat(chat, headers, caller);
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
