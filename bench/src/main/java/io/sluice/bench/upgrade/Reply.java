package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a caller got for one request.
 *
 * @param step the step in which it was sent
 * @param way how it was sent
 * @param body the request
 * @param firstMillis from sending it to its first token
 * @param text its whole text, as the caller has put it together
 * @param error why it has no whole answer
 * @param sentAgain how often a gateway that was stopping or away had to be replaced by the other
 */
record Reply(
    int step,
    Way way,
    ObjectNode body,
    OptionalDouble firstMillis,
    String text,
    Optional<String> error,
    int sentAgain) {

  /** How a request reaches the pool. */
  enum Way {
    GATEWAY,
    SDK,
    BATCH
  }
}
