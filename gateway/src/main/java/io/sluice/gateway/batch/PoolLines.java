package io.sluice.gateway.batch;

import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.run.LineFormat;
import io.sluice.gateway.batch.run.RefusedLineException;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.CallerHeaders;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.quota.Permissions;
import io.sluice.gateway.responses.BatchedResponses;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

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

  PoolLines(Pool pool, BatchedResponses responses) {
    this.pool = pool;
    this.responses = responses;
  }

  /**
   * @param translated parses the line
   */
  private record Unparsed(
      CreatedBatch batch, List<byte[]> json, Supplier<InferenceRequest.Builder> translated)
      implements Draft {
    @Override
    public InferenceRequest.Builder request() {
      try {
        InferenceRequest.Builder request =
            translated
                .get()
                .priority(Priority.BULK)
                .timeout(Priority.BULK.defaultTimeout())
                .deadline(Instant.ofEpochMilli(batch.expiresAt()));
        Permissions.check(request.build(), batch.limits());
        return request;
      } catch (ApiException e) {
        throw new RefusedLineException(e.error());
      }
    }
  }

  @Override
  public Draft draft(CreatedBatch batch, byte[] body) {
    HttpHeaders headers = CallerHeaders.restored(batch.headers());
    Caller caller = Caller.ofTenant(batch.tenant(), batch.limits());
    Optional<Endpoint> same = Endpoint.parse(batch.endpoint());
    if (same.isPresent()) {
      return new Unparsed(
          batch, List.of(body), () -> pool.request(same.get(), body, headers, caller));
    }
    try {
      BatchedResponses.Draft response = responses.draft(body, caller);
      return new Unparsed(
          batch, response.json(), () -> responses.request(response, headers, caller));
    } catch (ApiException e) {
      throw new RefusedLineException(e.error());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public String result(CreatedBatch batch, byte[] body, Answer answer) {
    return batch.endpoint().equals(RESPONSES)
        ? BatchedResponses.response(body, Caller.ofTenant(batch.tenant()), answer)
        : answer.json();
  }
}
