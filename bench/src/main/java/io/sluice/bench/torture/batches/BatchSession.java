package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * What the client of a batch did and saw.
 *
 * @param beganMillis when it sent the request that created its batch, by the clock of this process
 * @param last the batch as it was last seen; empty if no gateway created it
 * @param isCancelled whether it asked to cancel the batch
 * @param results the files that it read after the end
 * @param breaks how often it lost a gateway
 * @param sentAgain how many uploads and creations got no answer and were sent again
 * @param problems what gateways did that they must not do
 */
record BatchSession(
    PlannedBatch plan,
    long beganMillis,
    Optional<JsonNode> last,
    boolean isCancelled,
    Optional<ResultFiles> results,
    int breaks,
    int sentAgain,
    List<String> problems) {
  BatchSession {
    problems = List.copyOf(problems);
  }

  /** A client that could not deal with what a gateway answered. */
  static BatchSession failed(PlannedBatch plan, RuntimeException failure) {
    return new BatchSession(
        plan,
        System.currentTimeMillis(),
        Optional.empty(),
        false,
        Optional.empty(),
        0,
        0,
        List.of("an answer cannot be read: " + failure));
  }
}
