package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerRules;

/**
 * A worker as the policy sees it at the moment of a decision.
 *
 * @param snapshot what it last reported
 * @param leases the requests that it has or was just sent, from any router
 * @param reservedTokens context tokens that are known here to be committed to it
 * @param lateHeartbeat whether its heartbeat is late; nothing new is sent there
 * @param reachable whether its topic exists and can be written
 * @param recentlyHandedBack whether it has just handed this request back and has not sent a new
 *     snapshot since
 * @param reservedForOther whether its capacity is reserved for a request that goes before this one
 * @param outlook what this router expects of it for this request
 * @param breaker its breaker by shared observations and this router's own
 */
public record Candidate(
    WorkerSnapshot snapshot,
    int leases,
    long reservedTokens,
    boolean lateHeartbeat,
    boolean reachable,
    boolean recentlyHandedBack,
    boolean reservedForOther,
    Outlook outlook,
    BreakerPhase breaker) {

  /** A worker of which nothing is known but its snapshot. */
  public Candidate(
      WorkerSnapshot snapshot,
      int leases,
      long reservedTokens,
      boolean lateHeartbeat,
      boolean reachable,
      boolean recentlyHandedBack,
      BreakerPhase breaker) {
    this(
        snapshot,
        leases,
        reservedTokens,
        lateHeartbeat,
        reachable,
        recentlyHandedBack,
        false,
        Outlook.of(snapshot),
        breaker);
  }

  /** Returns the share of its slots that is taken; may exceed 1. */
  double load() {
    return snapshot.slots() <= 0 ? 1.0 : (double) busy() / snapshot.slots();
  }

  /** Returns the requests in its engine or on their way there, as far as is known. */
  int busy() {
    return Math.max(leases, snapshot.running() + snapshot.waiting());
  }

  /** Returns how long the step takes that a prompt sent now would be part of. */
  double stepMillis() {
    return busy() == 0 ? outlook.idleStepMillis() : outlook.stepMillis();
  }

  /** Returns the context tokens that are committed to it. */
  long takenTokens() {
    return Math.max(snapshot.tokensInUse(), reservedTokens);
  }

  /**
   * Returns the share of the token budget that is not committed, 0 to 1; 1 if the budget is not
   * known.
   */
  double budgetFree() {
    return snapshot.tokenBudget() <= 0
        ? 1.0
        : Math.clamp(1.0 - (double) takenTokens() / snapshot.tokenBudget(), 0.0, 1.0);
  }

  /**
   * Returns the share of the KV cache that no running request uses; that of the budget if it is not
   * known.
   */
  double kvFree() {
    return snapshot.kvUsage().isPresent()
        ? Math.clamp(1.0 - snapshot.kvUsage().getAsDouble(), 0.0, 1.0)
        : budgetFree();
  }

  /**
   * Returns the prompt tokens that its engine has to compute: at least one, because an engine
   * always computes the last one.
   */
  double uncachedTokens(RequestProfile request) {
    return Math.max(1, request.promptTokens() - outlook.cachedTokens());
  }

  /**
   * Returns by how many tokens the prompt, behind the waiting ones, exceeds the free memory below
   * the usage at which the worker's breaker would open; 0 or less if it fits. The engine's report
   * of its memory counts more than the possible size of requests, because most end long before
   * their limit and share prefixes.
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
    // A cached prefix takes no additional room.
    long cached = Math.min(outlook.cachedTokens(), request.promptTokens());
    return takenTokens() + request.contextTokens() - cached - budget;
  }

  /**
   * Returns by how many tokens the prompt, behind the waiting ones, exceeds the free part of the KV
   * cache.
   */
  double missingTokens(RequestProfile request) {
    return snapshot.tokenBudget() <= 0
        ? 0
        : Math.max(
            0,
            uncachedTokens(request) + outlook.queuedTokens() - kvFree() * snapshot.tokenBudget());
  }
}
