package io.sluice.gateway.batch;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.run.LineRequests;
import io.sluice.gateway.batch.run.RefusedLineException;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.CallerHeaders;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.quota.Permissions;
import io.sluice.producer.client.InferenceRequest;
import jakarta.inject.Singleton;
import java.time.Instant;

/**
 * Makes requests from lines: as a single request with the same body and the batch's headers would
 * be, but bulk, and with the batch's deadline. Thread-safe.
 */
@Singleton
final class PoolLines implements LineRequests {
  private final Pool pool;

  PoolLines(Pool pool) {
    this.pool = pool;
  }

  @Override
  public InferenceRequest.Builder request(CreatedBatch batch, Endpoint endpoint, byte[] body) {
    try {
      InferenceRequest.Builder request =
          pool.request(
                  endpoint,
                  body,
                  CallerHeaders.restored(batch.headers()),
                  Caller.ofTenant(batch.tenant()))
              .priority(Priority.BULK)
              .timeout(Priority.BULK.defaultTimeout())
              .deadline(Instant.ofEpochMilli(batch.expiresAt()));
      Permissions.check(request.build(), batch.limits());
      return request;
    } catch (ApiException e) {
      throw new RefusedLineException(e.error().status(), e.error().toText());
    }
  }
}
