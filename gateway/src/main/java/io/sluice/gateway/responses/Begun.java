package io.sluice.gateway.responses;

import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;

/** A response that this or an earlier try of a client has created. */
sealed interface Begun {
  /**
   * Its answer is read here.
   *
   * @param created without its content, which is not needed any more
   */
  record Answering(CreatedResponse created, ResponseEvents events, Exchange exchange)
      implements Begun {
    static Answering of(CreatedResponse created, Exchange exchange) {
      return new Answering(created.withoutContent(), new ResponseEvents(created), exchange);
    }
  }

  /** It continues without a reader. */
  record Posted(CreatedResponse created) implements Begun {}

  /** An earlier try posted it. */
  record Repeated(StoredResponse stored) implements Begun {}
}
