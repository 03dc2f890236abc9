package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;

/**
 * What this process has observed of one worker: the prompts that were sent and have no token yet,
 * the engine's pace, and how much of what the prefix index says is really cached. Thread-safe.
 * Reads take no lock, because each decision reads all workers.
 */
final class WorkerExperience {
  private static final double TRUST_GAIN = 0.1;

  /**
   * The prompts without a token, replaced as a whole.
   *
   * @param movedNanos when the first of them became the first
   */
  private record Unstarted(int prompts, long tokens, long movedNanos) {
    /**
     * The prompt that is being computed is partly done, by at most the length of an average one.
     */
    long tokensNow(double speed, long nowNanos) {
      if (prompts == 0) {
        return 0;
      }
      double average = (double) tokens / prompts;
      double done = Math.max(0, nowNanos - movedNanos) / 1e9 * speed;
      return Math.round(tokens - Math.min(done, average));
    }
  }

  private final ObservedPace pace = new ObservedPace();
  private volatile Unstarted unstarted = new Unstarted(0, 0, 0);

  /** The observed pace; 0 while nothing was observed. */
  private volatile double tokensPerSecond;

  /** The share of the index's claim that is really cached. */
  private volatile double trust = 1;

  /** A prompt is on its way there. Returns the prompt tokens before it. */
  synchronized long sent(long tokens, long nowNanos) {
    Unstarted was = unstarted;
    unstarted =
        new Unstarted(
            was.prompts() + 1,
            was.tokens() + tokens,
            was.prompts() == 0 ? nowNanos : was.movedNanos());
    return was.tokens();
  }

  /** A sent prompt has its first token: the engine works on the next one. */
  synchronized void started(long tokens, long nowNanos) {
    left(tokens, nowNanos);
  }

  /** A sent prompt no longer waits. */
  synchronized void left(long tokens) {
    left(tokens, unstarted.movedNanos());
  }

  private void left(long tokens, long movedNanos) {
    unstarted = new Unstarted(unstarted.prompts() - 1, unstarted.tokens() - tokens, movedNanos);
  }

  synchronized void observed(long tokens, long nanos, double stepMillis) {
    pace.observe(tokens, nanos, stepMillis);
    tokensPerSecond = pace.tokensPerSecond();
  }

  /**
   * The engine reported how much of a prompt it had cached, where the index said {@code indexed},
   * whatever of that was expected.
   */
  synchronized void cached(long indexed, long reported) {
    if (indexed > 0) {
      double kept = Math.clamp((double) reported / indexed, 0, 1);
      trust += TRUST_GAIN * (kept - trust);
    }
  }

  /**
   * Returns the outlook for a prompt, given how much of it is cached according to the index.
   *
   * @param forOthers the leases that the worker holds for other routers
   * @param unseenTokens prompt tokens of other routers that its snapshot does not show yet
   */
  Outlook outlook(
      WorkerSnapshot worker, long indexedTokens, int forOthers, long unseenTokens, long nowNanos) {
    double observed = tokensPerSecond;
    Outlook said = Outlook.of(worker);
    double prefill =
        worker.pace().prefillTokensPerSecond() > 0 || observed == 0
            ? said.prefillTokensPerSecond()
            : observed;
    return new Outlook(
        indexedTokens,
        indexedTokens == 0 ? 0 : Math.round(indexedTokens * trust),
        waitingForOthers(worker, forOthers) + unseenTokens + unstarted.tokensNow(prefill, nowNanos),
        prefill,
        said.stepMillis());
  }

  /**
   * The worker does not say whose prompts wait. Each router's share is assumed to be proportional
   * to its leases.
   */
  private static long waitingForOthers(WorkerSnapshot worker, int forOthers) {
    long waiting = worker.pace().waitingPromptTokens();
    if (forOthers == 0 || waiting == 0) {
      return 0;
    }
    double share = (double) forOthers / Math.max(forOthers, worker.heldInAll());
    return Math.round(waiting * share);
  }

  long unstartedTokens() {
    return unstarted.tokens();
  }

  boolean isIdle() {
    return unstarted.prompts() == 0;
  }
}
