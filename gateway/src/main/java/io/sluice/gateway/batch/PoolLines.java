package io.sluice.gateway.batch;

import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.run.LineFormat;
import io.sluice.gateway.batch.run.RefusedLineException;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.CallerHeaders;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.quota.Permissions;
import io.sluice.gateway.responses.BatchedResponses;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Lines mean what a single request with the same body and the batch's headers would mean, but are
 * bulk, and have the batch's deadline. Thread-safe.
 */
@Singleton
final class PoolLines implements LineFormat {
  private static final String RESPONSES = "/v1/responses";

  /** What a batch can ask for. */
  static final List<String> ENDPOINTS =
      List.of(Endpoint.CHAT_COMPLETIONS.path(), Endpoint.COMPLETIONS.path(), RESPONSES);

  private final Pool pool;
  private final BatchedResponses responses;
  private final JsonMemory memory;

  PoolLines(Pool pool, BatchedResponses responses, JsonMemory memory) {
    this.pool = pool;
    this.responses = responses;
    this.memory = memory;
  }

  @Override
  public void request(CreatedBatch batch, byte[] body, Consumer<InferenceRequest.Builder> sender) {
    try {
      translate(batch, body, request -> sender.accept(bulk(batch, request)));
    } catch (ApiException e) {
      throw new RefusedLineException(e.error());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static InferenceRequest.Builder bulk(
      CreatedBatch batch, InferenceRequest.Builder request) {
    InferenceRequest.Builder bulk =
        request
            .priority(Priority.BULK)
            .timeout(Priority.BULK.defaultTimeout())
            .deadline(Instant.ofEpochMilli(batch.expiresAt()));
    Permissions.check(bulk.build(), batch.limits());
    return bulk;
  }

  private void translate(CreatedBatch batch, byte[] body, Consumer<InferenceRequest.Builder> sender)
      throws InterruptedException {
    HttpHeaders headers = CallerHeaders.restored(batch.headers());
    Caller caller = Caller.ofTenant(batch.tenant(), batch.limits());
    Optional<Endpoint> same = Endpoint.parse(batch.endpoint());
    if (same.isEmpty()) {
      responses.request(body, headers, caller, sender);
      return;
    }
    try (TenantShares.Share _ = memory.take(caller.tenant(), body)) {
      sender.accept(pool.request(same.get(), body, headers, caller));
    }
  }

  @Override
  public String result(CreatedBatch batch, byte[] body, Answer answer) {
    return batch.endpoint().equals(RESPONSES)
        ? BatchedResponses.response(body, Caller.ofTenant(batch.tenant()), answer)
        : answer.json();
  }
}
