package io.sluice.gateway.responses;

import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.Spent;
import io.sluice.gateway.pool.Tries;
import io.sluice.gateway.quota.Ticket;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Follows the responses that earlier tries of clients created. Thread-safe. */
@Singleton
final class EarlierResponses {
  private final Pool pool;
  private final Tries tries;
  private final StoredResponses stored;

  EarlierResponses(Pool pool, Tries tries, StoredResponses stored) {
    this.pool = pool;
    this.tries = tries;
    this.stored = stored;
  }

  /**
   * Follows the response of an earlier try, or notes the one that this try is to create.
   *
   * @param ticket is settled if there is one, at its end
   * @return empty if there is none, if it failed, if it was deleted, or if it was never stored
   * @throws ApiException if the client reuses an idempotency key, or if Kafka cannot be reached
   */
  Optional<Begun> follow(Submission.Prepared prepared, ClientTry attempt, Ticket ticket)
      throws InterruptedException {
    CreatedResponse wanted = prepared.created();
    return tries.followed(
        attempt,
        wanted.requestId(),
        wanted.patience(),
        id -> follow(id, prepared, attempt, ticket));
  }

  private Optional<Begun> follow(
      String id, Submission.Prepared prepared, ClientTry attempt, Ticket ticket)
      throws InterruptedException {
    CreatedResponse wanted = prepared.created();
    Caller caller = Caller.ofTenant(wanted.tenant());
    Optional<StoredResponse> earlier =
        wanted.isStored()
            ? Tries.awaitStored(() -> stored.known(id, caller))
                .flatMap(StoredResponses.Known::response)
            : Optional.empty();
    if (wanted.isStored() && earlier.isEmpty()) {
      return Optional.empty();
    }
    if (wanted.isPosted() && earlier.isPresent()) {
      ticket.settle(Spent.NOTHING);
      tries.sent(attempt);
      return Optional.of(new Begun.Repeated(earlier.get()));
    }
    Optional<Exchange> running = pool.follow(id, prepared.request(), attempt);
    running.ifPresent(exchange -> exchange.whenEnded(ticket::settle));
    CreatedResponse created =
        earlier.map(StoredResponse::shown).orElseGet(() -> wanted.ofEarlier(id));
    return running.map(exchange -> Begun.Answering.of(created, exchange));
  }
}
