package io.sluice.router.policy;

import io.sluice.common.protocol.BulkLimits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerRules;

/**
 * The room that a worker has for bulk. Some slots and memory stay free, so that interactive
 * requests find them at once. Stateless.
 *
 * <p>A new prompt waits for the prompts before it and for the step under way, and then shares its
 * own steps with everything that runs. So bulk enters only while its prompts would wait for almost
 * nothing, and while a step takes no longer than the prefill of {@value #STEP_PROMPT_TOKENS}
 * tokens. What bulk adds to the time to the first token is then less than what a usual prompt takes
 * itself, on any engine.
 */
public final class BulkRoom {
  /**
   * The longest time, in seconds, for which bulk prompts may keep an engine busy before an
   * interactive one.
   */
  private static final double MOST_PREFILL_SECONDS = 0.1;

  private static final double STEP_PROMPT_TOKENS = 512;

  private BulkRoom() {}

  /** Returns whether a worker could serve a request by what it is, regardless of its load. */
  public static boolean couldServe(RequestProfile request, WorkerSnapshot worker) {
    var idle = new Candidate(worker, 0, 0, false, true, false, BreakerPhase.CLOSED);
    return Filters.ALL.stream()
        .filter(filter -> filter.scope() == Filters.Scope.WORKER)
        .allMatch(filter -> filter.admits(request, idle));
  }

  /**
   * Returns the number of requests that may enter by the worker's own report; not negative. Bulk
   * also probes half-open breakers, which would otherwise never close without other requests, but
   * it leaves one probe to the others.
   */
  public static int slots(WorkerSnapshot worker, int leases, BreakerPhase breaker) {
    boolean isOpen =
        worker.accepting() && worker.kvUsage().orElse(0) < BulkLimits.ENTER_BELOW_KV_USAGE;
    int forBulk = isOpen ? BulkLimits.slotsForBulk(worker.slots()) : 0;
    int most =
        switch (breaker) {
          case CLOSED -> forBulk;
          case HALF_OPEN -> Math.min(forBulk, BreakerRules.STANDARD.probes() - 1);
          case OPEN -> 0;
        };
    return Math.max(0, most - leases);
  }

  /** Returns whether this request may enter. */
  static boolean has(RequestProfile request, Candidate candidate) {
    return slots(candidate.snapshot(), candidate.leases(), candidate.breaker()) > 0
        && (candidate.leases() == 0
            || (fits(request, candidate)
                && isNext(request, candidate)
                && isQuick(candidate.outlook())));
  }

  /** Returns whether its prompt, behind the waiting ones, fits below the limit for bulk. */
  private static boolean fits(RequestProfile request, Candidate candidate) {
    long budget = candidate.snapshot().tokenBudget();
    double coming = candidate.outlook().queuedTokens() + candidate.uncachedTokens(request);
    return budget <= 0
        || (1 - candidate.kvFree()) * budget + coming <= BulkLimits.ENTER_BELOW_KV_USAGE * budget;
  }

  /** Returns whether its prompt is computed at once or soon. */
  private static boolean isNext(RequestProfile request, Candidate candidate) {
    Outlook outlook = candidate.outlook();
    double busyTokens = outlook.queuedTokens() + candidate.uncachedTokens(request);
    return outlook.queuedTokens() == 0
        || busyTokens <= MOST_PREFILL_SECONDS * outlook.prefillTokensPerSecond();
  }

  private static boolean isQuick(Outlook outlook) {
    return outlook.stepMillis() <= outlook.prefillMillis(STEP_PROMPT_TOKENS);
  }
}
