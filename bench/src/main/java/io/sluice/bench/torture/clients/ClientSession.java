package io.sluice.bench.torture.clients;

import io.sluice.bench.torture.load.LoadGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an HTTP client did and saw.
 *
 * @param requestId the id of its request; empty if the gateway was lost before it told the id
 * @param beganMillis when it sent its request, by the clock of this process
 * @param items what it read with its cursor, as {@code AnswerCursor} has it; empty for a chat that
 *     needed none
 * @param error the code of the error that it was given as the answer's end
 * @param isOver whether it read an end
 * @param breaks how often it lost its gateway
 * @param retries how many of its requests got no response and were sent again
 * @param problems what gateways did that they must not do
 */
record ClientSession(
    PlannedClient plan,
    Optional<String> requestId,
    long beganMillis,
    List<String> items,
    String text,
    Optional<String> error,
    boolean isOver,
    int breaks,
    int retries,
    List<String> problems) {
  ClientSession {
    items = List.copyOf(items);
    problems = List.copyOf(problems);
  }

  /** Returns its request in the pool. */
  Optional<LoadGenerator.Sent> sent(Duration timeout) {
    return requestId.map(id -> new LoadGenerator.Sent(plan.request(id, timeout), beganMillis));
  }
}
