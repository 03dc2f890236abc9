package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.CallerHeaders;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.responses.chat.ChatBody;
import io.sluice.gateway.responses.chat.InvalidFieldException;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import io.sluice.producer.client.InferenceRequest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;

/** Makes requests to the pool for responses. Thread-safe. */
@Singleton
final class Submission implements Recovery.Sender {
  /**
   * A response and its request.
   *
   * @param request as it is sent the first time
   */
  record Prepared(CreatedResponse created, InferenceRequest request) {}

  private static final int MOST_VALUES = 50_000;

  private final Pool pool;
  private final Replies replies;
  private final StoredResponses stored;
  private final JsonMemory memory;

  Submission(Pool pool, Replies replies, StoredResponses stored, JsonMemory memory) {
    this.pool = pool;
    this.replies = replies;
    this.stored = stored;
    this.memory = memory;
  }

  /**
   * Prepares a new response.
   *
   * @param earlier the chat messages of the conversation before
   * @throws ApiException if a field or a header is wrong
   */
  Prepared prepare(ObjectNode body, ArrayNode earlier, HttpHeaders headers, Caller caller) {
    String requestId = replies.newId();
    InferenceRequest request =
        request(body, earlier, headers, caller).requestId(requestId).withoutWholeAnswer().build();
    Instant now = RequestId.timeOf(requestId).orElseThrow();
    CreatedResponse created =
        new CreatedResponse(
            requestId,
            caller.tenant(),
            now,
            now.plus(request.patience(now)),
            CallerHeaders.of(headers, request),
            body,
            earlier);
    requireFewValues(created);
    return new Prepared(created, request);
  }

  /** A response is shown in several events, for each of which its fields are made trees. */
  private static void requireFewValues(CreatedResponse created) {
    for (Map.Entry<String, JsonNode> field : created.shown().request().properties()) {
      if (valuesIn(field.getValue()) > MOST_VALUES) {
        throw new ApiException(
            ErrorKind.INVALID_REQUEST,
            "may have at most " + MOST_VALUES + " values",
            field.getKey());
      }
    }
  }

  private static long valuesIn(JsonNode json) {
    long count = 1;
    for (JsonNode value : json) {
      count += valuesIn(value);
    }
    return count;
  }

  @Override
  public void sendAgain(CreatedResponse shown) throws InterruptedException {
    StoredResponse found = stored.find(shown.id(), Caller.ofTenant(shown.tenant()));
    try (TenantShares.Share _ = memory.take(found.tenant(), found.json())) {
      CreatedResponse created = found.whole();
      replies.post(
          request(
                  created.request(),
                  created.earlier(),
                  CallerHeaders.restored(created.headers()),
                  Caller.ofTenant(created.tenant()))
              .requestId(created.requestId())
              .deadline(created.deadline())
              .build(),
          created.requestId());
    }
  }

  private InferenceRequest.Builder request(
      ObjectNode body, ArrayNode earlier, HttpHeaders headers, Caller caller) {
    try {
      return pool.chat(ChatBody.streamed(body, earlier), headers, caller);
    } catch (InvalidFieldException e) {
      throw refusal(e);
    }
  }

  /** Returns the error of a request with a field that is wrong. */
  static ApiException refusal(InvalidFieldException e) {
    return new ApiException(ErrorKind.INVALID_REQUEST, String.valueOf(e.getMessage()), e.param());
  }
}
