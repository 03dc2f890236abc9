package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.HashMap;
import java.util.Map;

/**
 * What tenants pay for the requests of one task: when a request is first dispatched, its prompt and
 * the answer that is expected; when it is over, the difference to what it took. What is not known,
 * such as how much of a cancelled answer was generated, stays as it was expected. A router that
 * takes over does not know the charges and corrects none. Not thread-safe.
 */
public final class Charges {
  private final Backlog backlog;
  private final Map<String, Charge> byRequest = new HashMap<>();

  private record Charge(
      String model, Priority priority, String tenant, long promptTokens, long tokens) {}

  Charges(Backlog backlog) {
    this.backlog = backlog;
  }

  /** A waiting request is dispatched for the first time. */
  public void dispatched(RequestMetadata metadata, TimePoint now) {
    long tokens = backlog.served(metadata, now);
    byRequest.put(
        metadata.requestId(),
        new Charge(
            metadata.model(),
            metadata.priority(),
            metadata.tenant(),
            metadata.promptTokens(),
            tokens));
  }

  /** A request was answered in full. */
  public void completed(RequestMetadata metadata, Outcome.Completed completed) {
    Charge charge = byRequest.remove(metadata.requestId());
    if (charge != null) {
      backlog
          .shares()
          .answerTook(
              charge.model(),
              charge.priority(),
              metadata.outputTokens(),
              completed.completionTokens());
      settle(charge, (long) completed.promptTokens() + completed.completionTokens());
    }
  }

  /** The engine rejected a request, so there is no answer. */
  public void rejected(String requestId) {
    Charge charge = byRequest.remove(requestId);
    if (charge != null) {
      settle(charge, charge.promptTokens());
    }
  }

  private void settle(Charge charge, long usedTokens) {
    backlog
        .shares()
        .settle(charge.model(), charge.priority(), charge.tenant(), usedTokens - charge.tokens());
  }

  /** The request is over. */
  void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
