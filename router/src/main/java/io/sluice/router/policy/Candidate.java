package io.sluice.router.policy;

import io.sluice.common.breaker.BreakerPhase;
import io.sluice.common.fleet.WorkerSnapshot;

/**
 * A worker as the policy sees it at the moment of a decision.
 *
 * @param snapshot what it last said of itself
 * @param leases requests that it holds or was just sent, whoever sent them
 * @param reservedTokens context tokens of the requests that this router has there
 * @param suspect whether its heartbeat is late: nothing new is sent there
 * @param reachable whether its topic is known to exist
 * @param excluded whether it gave this very request back, and has not reported since
 * @param breaker what it may be sent, by everybody's evidence and this router's own
 */
public record Candidate(
    WorkerSnapshot snapshot,
    int leases,
    long reservedTokens,
    boolean suspect,
    boolean reachable,
    boolean excluded,
    BreakerPhase breaker) {

  /** Share of its slots that is taken; may exceed 1. */
  double load() {
    return snapshot.slots() <= 0 ? 1.0 : (double) leases / snapshot.slots();
  }
}
