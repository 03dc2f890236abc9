package io.sluice.gateway.responses;

import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.responses.record.CreatedResponse;

/** A response that this or an earlier try of a client has created. */
sealed interface Begun {
  /** Its answer is read here. */
  record Answering(CreatedResponse created, Exchange exchange) implements Begun {}

  /** It continues without a reader. */
  record Posted(CreatedResponse created) implements Begun {}

  /** An earlier try posted it. */
  record Repeated(CreatedResponse created) implements Begun {}
}
