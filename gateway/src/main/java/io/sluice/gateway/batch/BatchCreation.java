package io.sluice.gateway.batch;

import io.micronaut.http.HttpRequest;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Tries;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates the batches that clients ask for, each once. Thread-safe. */
@Singleton
final class BatchCreation {
  private static final byte[] NO_BODY = {};

  private final BatchService service;
  private final Tries tries;

  BatchCreation(BatchService service, Tries tries) {
    this.service = service;
    this.tries = tries;
  }

  /** Creates a batch, or returns the one that an earlier try of the client created. */
  Batch create(HttpRequest<?> http, byte @Nullable [] body) throws InterruptedException {
    BatchRequestBody fields = new BatchRequestBody(JsonBody.parse(body));
    Batches batches = service.batches();
    Caller caller = Caller.of(http);
    ClientTry attempt = ClientTry.of(http, caller, body == null ? NO_BODY : body);
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
