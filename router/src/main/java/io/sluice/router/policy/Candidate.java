package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerRules;

/**
 * A worker as the policy sees it at the moment of a decision.
 *
 * @param snapshot what it last said of itself
 * @param leases requests that it holds or was just sent, whoever sent them
 * @param reservedTokens context tokens that are known here to be committed to it
 * @param lateHeartbeat whether its heartbeat is late: nothing new is sent there
 * @param reachable whether its topic exists, and what is sent there gets through
 * @param recentlyRejected whether it gave this very request back just now, and has not reported
 *     since
 * @param reservedForOther whether it is kept free for a request that goes before this one
 * @param outlook what this router expects of it for the request at hand
 * @param breaker what it may be sent, by everybody's evidence and this router's own
 */
public record Candidate(
    WorkerSnapshot snapshot,
    int leases,
    long reservedTokens,
    boolean lateHeartbeat,
    boolean reachable,
    boolean recentlyRejected,
    boolean reservedForOther,
    Outlook outlook,
    BreakerPhase breaker) {

  /** A worker of which nothing is known but what it says. */
  public Candidate(
      WorkerSnapshot snapshot,
      int leases,
      long reservedTokens,
      boolean lateHeartbeat,
      boolean reachable,
      boolean recentlyRejected,
      BreakerPhase breaker) {
    this(
        snapshot,
        leases,
        reservedTokens,
        lateHeartbeat,
        reachable,
        recentlyRejected,
        false,
        Outlook.of(snapshot),
        breaker);
  }

  /** Share of its slots that is taken; may exceed 1. */
  double load() {
    return snapshot.slots() <= 0 ? 1.0 : (double) busy() / snapshot.slots();
  }

  /** Requests in its engine or on their way there, as far as anybody knows. */
  int busy() {
    return Math.max(leases, snapshot.running() + snapshot.waiting());
  }

  /** Context tokens that it is committed to. */
  long takenTokens() {
    return Math.max(snapshot.tokensInUse(), reservedTokens);
  }

  /** Share of the token budget that nothing is committed to, 0 to 1; 1 where it is not known. */
  double budgetFree() {
    return snapshot.tokenBudget() <= 0
        ? 1.0
        : Math.clamp(1.0 - (double) takenTokens() / snapshot.tokenBudget(), 0.0, 1.0);
  }

  /** Share of the KV cache that no running request uses; the budget's where it is not known. */
  double kvFree() {
    return snapshot.kvUsage().isPresent()
        ? Math.clamp(1.0 - snapshot.kvUsage().getAsDouble(), 0.0, 1.0)
        : budgetFree();
  }

  /**
   * Tokens of the prompt that its engine has to compute: at least one, for no engine gets by
   * without computing the last.
   */
  double uncachedTokens(RequestProfile request) {
    return Math.max(1, request.promptTokens() - outlook.cachedTokens());
  }

  /**
   * By how many tokens the prompt, behind those that wait, exceeds what fits beside what runs,
   * below the usage at which the worker's breaker would open; 0 or less if it fits. What the engine
   * says of its memory counts more than what requests might come to: most end long before their
   * limit, and share their beginnings.
   */
  double tokensOver(RequestProfile request) {
    long budget = snapshot.tokenBudget();
    if (budget <= 0 || leases == 0) {
      return 0;
    }
    if (snapshot.kvUsage().isPresent()) {
      double used = (1 - kvFree()) * budget;
      return used
          + outlook.queuedTokens()
          + uncachedTokens(request)
          - BreakerRules.STANDARD.memoryOpenAbove() * budget;
    }
    // A prefix that is in the cache already takes no more room there.
    long cached = Math.min(outlook.cachedTokens(), request.promptTokens());
    return takenTokens() + request.contextTokens() - cached - budget;
  }

  /** By how many tokens the prompt, behind what waits, exceeds the free part of the KV cache. */
  double missingTokens(RequestProfile request) {
    return snapshot.tokenBudget() <= 0
        ? 0
        : Math.max(
            0,
            uncachedTokens(request) + outlook.queuedTokens() - kvFree() * snapshot.tokenBudget());
  }
}
