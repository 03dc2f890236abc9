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
import java.util.function.Function;
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
    Function<String, Batch> create = its -> batches.create(its, fields, http.getHeaders(), caller);
    Optional<Batch> earlier =
        tries.followed(
            attempt,
            id,
            fields.time(),
            // If its gateway is slow or dead; a second record of an id has no effect.
            other -> batches.sought(other, caller).or(() -> Optional.of(create.apply(other))));
    Batch batch = earlier.isPresent() ? earlier.get() : own(id, create, attempt);
    tries.sent(attempt);
    return batch;
  }

  private Batch own(String id, Function<String, Batch> create, ClientTry attempt) {
    try {
      return create.apply(id);
    } catch (ApiException e) {
      // Otherwise Kafka may have it.
      if (!e.error().isUnreachable()) {
        var _ = tries.withdraw(attempt);
      }
      throw e;
    }
  }
}
