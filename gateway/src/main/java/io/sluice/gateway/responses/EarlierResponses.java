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
import jakarta.inject.Singleton;
import java.util.Optional;

/** Follows the responses that earlier tries of clients created. Thread-safe. */
@Singleton
final class EarlierResponses {
  private final Pool pool;
  private final Tries tries;
  private final Replies replies;
  private final StoredResponses stored;

  EarlierResponses(Pool pool, Tries tries, Replies replies, StoredResponses stored) {
    this.pool = pool;
    this.tries = tries;
    this.replies = replies;
    this.stored = stored;
  }

  /**
   * Follows the response of an earlier try, or notes the one that this try is to create.
   *
   * @param ticket is settled if there is one, at its end
   * @return empty if there is none, or if it failed
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
    CreatedResponse earlier = earlier(id, prepared);
    if (earlier.isPosted()) {
      ticket.settle(Spent.NOTHING);
      return Optional.of(new Begun.Repeated(earlier));
    }
    Optional<Exchange> running = pool.follow(id, prepared.request(), attempt);
    running.ifPresent(exchange -> exchange.whenEnded(ticket::settle));
    return running.map(exchange -> new Begun.Answering(earlier, exchange));
  }

  /**
   * Returns what an earlier try created. If its gateway has not stored it, which may be slow or
   * dead, this one does: neither the record nor the request counts twice.
   */
  private CreatedResponse earlier(String id, Submission.Prepared prepared)
      throws InterruptedException {
    CreatedResponse wanted = prepared.created();
    if (!wanted.isStored()) {
      return wanted.ofEarlier(id);
    }
    Optional<CreatedResponse> found = stored.ofRequest(id, Caller.ofTenant(wanted.tenant()));
    if (found.isPresent()) {
      return found.get();
    }
    CreatedResponse earlier = wanted.ofEarlier(id);
    stored.append(earlier);
    replies.post(prepared.request().withId(id), id);
    return earlier;
  }
}
