package io.sluice.gateway.batch;

import io.micronaut.http.HttpRequest;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Tries;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates the batches that clients ask for, each once. Thread-safe. */
@Singleton
final class BatchCreation {
  private final BatchService service;
  private final Tries tries;
  private final JsonMemory memory;

  BatchCreation(BatchService service, Tries tries, JsonMemory memory) {
    this.service = service;
    this.tries = tries;
    this.memory = memory;
  }

  /** Creates a batch, or returns the one that an earlier try of the client created. */
  Batch create(HttpRequest<?> http, byte @Nullable [] body) throws InterruptedException {
    Caller caller = Caller.of(http);
    byte[] sent = JsonBody.bytes(body);
    try (TenantShares.Share _ = memory.take(caller.tenant(), sent)) {
      return create(http, sent, new BatchRequestBody(JsonBody.parse(body)), caller);
    }
  }

  private Batch create(HttpRequest<?> http, byte[] body, BatchRequestBody fields, Caller caller)
      throws InterruptedException {
    Batches batches = service.batches();
    ClientTry attempt = ClientTry.of(http, caller, body);
    String id = BatchId.next();
    Optional<Batch> earlier =
        tries.followed(
            attempt,
            id,
            fields.time(),
            other -> Tries.awaitStored(() -> batches.sought(other, caller)));
    try {
      Batch batch =
          earlier.isPresent()
              ? earlier.get()
              : batches.create(id, fields, http.getHeaders(), caller);
      tries.sent(attempt);
      return batch;
    } catch (ApiException e) {
      var _ = tries.failed(attempt, e);
      throw e;
    }
  }
}
