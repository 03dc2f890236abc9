package io.sluice.gateway.responses;

import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.Spent;
import io.sluice.gateway.pool.Tries;
import io.sluice.gateway.quota.Ticket;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.DeletedResponse;
import io.sluice.producer.reply.ReplyStream;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores and sends new responses. Thread-safe. */
@Singleton
final class Beginning {
  private static final Logger log = LoggerFactory.getLogger(Beginning.class);

  private final Pool pool;
  private final Tries tries;
  private final Replies replies;
  private final StoredResponses stored;
  private final EarlierResponses earlier;

  Beginning(
      Pool pool, Tries tries, Replies replies, StoredResponses stored, EarlierResponses earlier) {
    this.pool = pool;
    this.tries = tries;
    this.replies = replies;
    this.stored = stored;
    this.earlier = earlier;
  }

  /**
   * Stores and sends a response, unless an earlier try of the client did. One that is refused is
   * deleted again, unless another try follows it.
   *
   * @throws ApiException if it cannot be stored or sent, or if the client reuses an idempotency key
   */
  Begun of(Submission.Prepared prepared, ClientTry attempt, Ticket ticket)
      throws InterruptedException {
    boolean isBegun = false;
    try {
      Optional<Begun> followed = earlier.follow(prepared, attempt, ticket);
      Begun begun = followed.isPresent() ? followed.get() : own(prepared, attempt, ticket);
      isBegun = true;
      return begun;
    } finally {
      if (!isBegun) {
        ticket.settle(Spent.NOTHING);
      }
    }
  }

  private Begun own(Submission.Prepared prepared, ClientTry attempt, Ticket ticket)
      throws InterruptedException {
    CreatedResponse created = prepared.created();
    try {
      if (created.isStored()) {
        store(created);
      }
      return send(prepared, attempt, ticket);
    } catch (ApiException e) {
      if (tries.failed(attempt, e) && created.isStored()) {
        forget(created);
      }
      throw e;
    }
  }

  private void store(CreatedResponse created) {
    if (!created.isPosted()) {
      pool.requirePlace();
    }
    replies.expect(created.requestId());
    stored.append(created);
  }

  private Begun send(Submission.Prepared prepared, ClientTry attempt, Ticket ticket)
      throws InterruptedException {
    CreatedResponse created = prepared.created();
    if (created.isPosted()) {
      replies.post(prepared.request(), created.requestId());
      tries.sent(attempt);
      if (!ticket.equals(Ticket.FREE)) {
        pool.observe(created.requestId(), created.tenant(), created.patience(), ticket::settle);
      }
      return new Begun.Posted(created);
    }
    Exchange exchange = pool.begin(prepared.request(), attempt);
    ReplyStream stream = exchange.stream();
    // Not the request itself, because its body would be kept until the end.
    boolean isStored = created.isStored();
    exchange.whenEnded(
        used -> {
          ticket.settle(used);
          if (isStored) {
            replies.ended(stream);
          }
        });
    return Begun.Answering.of(created, exchange);
  }

  /** A response that was refused must not be found. */
  private void forget(CreatedResponse refused) {
    try {
      stored.append(new DeletedResponse(refused.requestId()));
    } catch (ApiException e) {
      log.warn("event=refused_response_stays request={}", refused.requestId());
    }
  }
}
