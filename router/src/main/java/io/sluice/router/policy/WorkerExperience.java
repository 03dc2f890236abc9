package io.sluice.router.policy;

import io.sluice.common.fleet.WorkerSnapshot;

/**
 * What this process has seen of one worker: the prompts that it sent and that have no token yet,
 * the engine's pace, and how far its prefix cache keeps what the index says. Thread-safe.
 */
final class WorkerExperience {
  private static final double TRUST_GAIN = 0.1;

  private final ObservedPace pace = new ObservedPace();
  private int unstarted;
  private long unstartedTokens;
  private long movedNanos;
  private double trust = 1;

  /** A prompt is on its way there. Returns the prompt tokens before it. */
  synchronized long sent(long tokens, long nowNanos) {
    long before = unstartedTokens;
    if (unstarted == 0) {
      movedNanos = nowNanos;
    }
    unstarted++;
    unstartedTokens += tokens;
    return before;
  }

  /** A prompt that was sent has its first token: the engine is at the next. */
  synchronized void started(long tokens, long nowNanos) {
    left(tokens);
    movedNanos = nowNanos;
  }

  /** A prompt that was sent waits no more. */
  synchronized void left(long tokens) {
    unstarted--;
    unstartedTokens -= tokens;
  }

  synchronized void observed(long tokens, long nanos, double stepMillis) {
    pace.observe(tokens, nanos, stepMillis);
  }

  /**
   * The engine said how much of a prompt it had cached, where the index expected {@code claimed}.
   */
  synchronized void cached(long claimed, long reported) {
    if (claimed > 0) {
      double kept = Math.clamp((double) reported / claimed, 0, 1);
      trust += TRUST_GAIN * (kept - trust);
    }
  }

  /**
   * The outlook on a prompt of which the index says that so much is cached.
   *
   * @param forOthers leases that the worker holds for other routers
   * @param unseenTokens prompt tokens of other routers that it does not know of yet
   */
  synchronized Outlook outlook(
      WorkerSnapshot worker, long indexedTokens, int forOthers, long unseenTokens, long nowNanos) {
    Outlook said = Outlook.of(worker);
    double observed = pace.tokensPerSecond();
    double prefill =
        worker.pace().prefillTokensPerSecond() > 0 || observed == 0
            ? said.prefillTokensPerSecond()
            : observed;
    return new Outlook(
        Math.round(indexedTokens * trust),
        waitingForOthers(worker, forOthers) + unseenTokens + unstartedNow(prefill, nowNanos),
        prefill,
        said.stepMillis());
  }

  /**
   * The worker does not say whose prompts wait; each router's share is taken to be as its leases.
   */
  private static long waitingForOthers(WorkerSnapshot worker, int forOthers) {
    long waiting = worker.pace().waitingPromptTokens();
    if (forOthers == 0 || waiting == 0) {
      return 0;
    }
    double share = (double) forOthers / Math.max(forOthers, worker.heldInAll());
    return Math.round(waiting * share);
  }

  /** The prompt that is being computed now is partly done: at most all of an average one. */
  private long unstartedNow(double tokensPerSecond, long nowNanos) {
    if (unstarted == 0) {
      return 0;
    }
    double average = (double) unstartedTokens / unstarted;
    double done = Math.max(0, nowNanos - movedNanos) / 1e9 * tokensPerSecond;
    return Math.round(unstartedTokens - Math.min(done, average));
  }

  synchronized long unstartedTokens() {
    return unstartedTokens;
  }

  synchronized boolean isIdle() {
    return unstarted == 0;
  }
}
