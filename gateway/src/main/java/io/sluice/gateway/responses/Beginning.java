package io.sluice.gateway.responses;

import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.Spent;
import io.sluice.gateway.quota.Ticket;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.DeletedResponse;
import io.sluice.producer.client.ReplyStream;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores and sends new responses. Thread-safe. */
@Singleton
final class Beginning {
  private static final Logger log = LoggerFactory.getLogger(Beginning.class);

  private final Pool pool;
  private final Replies replies;
  private final StoredResponses stored;

  Beginning(Pool pool, Replies replies, StoredResponses stored) {
    this.pool = pool;
    this.replies = replies;
    this.stored = stored;
  }

  /**
   * Stores and sends a response. One that is refused is not stored, or is deleted again.
   *
   * @return empty for a background response, whose end is not waited for here
   * @throws ApiException if it cannot be stored or sent
   */
  Optional<Exchange> of(Submission.Prepared prepared, Ticket ticket) throws InterruptedException {
    CreatedResponse created = prepared.created();
    boolean isStored = false;
    boolean isBegun = false;
    try {
      if (created.isStored()) {
        store(created);
        isStored = true;
      }
      Optional<Exchange> exchange = send(prepared, ticket);
      isBegun = true;
      return exchange;
    } finally {
      if (!isBegun) {
        ticket.settle(Spent.NOTHING);
      }
      if (isStored && !isBegun) {
        forget(created);
      }
    }
  }

  private void store(CreatedResponse created) {
    if (!isPosted(created)) {
      pool.requirePlace();
    }
    replies.expect(created.requestId());
    stored.append(created);
  }

  private Optional<Exchange> send(Submission.Prepared prepared, Ticket ticket)
      throws InterruptedException {
    if (isPosted(prepared.created())) {
      replies.post(prepared.request(), prepared.created().requestId());
      if (!ticket.equals(Ticket.FREE)) {
        CreatedResponse created = prepared.created();
        pool.observe(created.requestId(), created.patience(), ticket::settle);
      }
      return Optional.empty();
    }
    Exchange exchange = pool.begin(prepared.request());
    ReplyStream stream = exchange.stream();
    // Not the request itself, because its body would be kept until the end.
    boolean isStored = prepared.created().isStored();
    exchange.whenEnded(
        used -> {
          ticket.settle(used);
          if (isStored) {
            replies.ended(stream);
          }
        });
    return Optional.of(exchange);
  }

  /** Returns whether no client waits for the response here. */
  private static boolean isPosted(CreatedResponse created) {
    return created.isBackground() && !created.isStreamed();
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
