package io.sluice.router.policy;

import io.sluice.common.fleet.WorkerSnapshot;

/**
 * What this process has seen of one worker: the prompts that it sent and that have no token yet,
 * the engine's pace, and how far its prefix cache keeps what the index says. Thread-safe; who looks
 * takes no lock, for each decision looks at all workers.
 */
final class WorkerExperience {
  private static final double TRUST_GAIN = 0.1;

  /**
   * All that a decision needs.
   *
   * @param movedNanos when the first of the prompts came to be the first
   * @param trust the share that is kept of what the index says
   * @param tokensPerSecond as observed; 0 while nothing was
   */
  private record Seen(
      int unstarted, long unstartedTokens, long movedNanos, double trust, double tokensPerSecond) {
    Seen with(int newUnstarted, long newTokens, long newMovedNanos) {
      return new Seen(newUnstarted, newTokens, newMovedNanos, trust, tokensPerSecond);
    }

    /** The prompt that is being computed now is partly done: at most all of an average one. */
    long unstartedNow(double speed, long nowNanos) {
      if (unstarted == 0) {
        return 0;
      }
      double average = (double) unstartedTokens / unstarted;
      double done = Math.max(0, nowNanos - movedNanos) / 1e9 * speed;
      return Math.round(unstartedTokens - Math.min(done, average));
    }
  }

  private final ObservedPace pace = new ObservedPace();
  private volatile Seen seen = new Seen(0, 0, 0, 1, 0);

  /** A prompt is on its way there. Returns the prompt tokens before it. */
  synchronized long sent(long tokens, long nowNanos) {
    Seen was = seen;
    seen =
        was.with(
            was.unstarted() + 1,
            was.unstartedTokens() + tokens,
            was.unstarted() == 0 ? nowNanos : was.movedNanos());
    return was.unstartedTokens();
  }

  /** A prompt that was sent has its first token: the engine is at the next. */
  synchronized void started(long tokens, long nowNanos) {
    seen = seen.with(seen.unstarted() - 1, seen.unstartedTokens() - tokens, nowNanos);
  }

  /** A prompt that was sent waits no more. */
  synchronized void left(long tokens) {
    seen = seen.with(seen.unstarted() - 1, seen.unstartedTokens() - tokens, seen.movedNanos());
  }

  synchronized void observed(long tokens, long nanos, double stepMillis) {
    pace.observe(tokens, nanos, stepMillis);
    Seen was = seen;
    seen =
        new Seen(
            was.unstarted(),
            was.unstartedTokens(),
            was.movedNanos(),
            was.trust(),
            pace.tokensPerSecond());
  }

  /**
   * The engine said how much of a prompt it had cached, where the index expected {@code claimed}.
   */
  synchronized void cached(long claimed, long reported) {
    if (claimed > 0) {
      double kept = Math.clamp((double) reported / claimed, 0, 1);
      Seen was = seen;
      seen =
          new Seen(
              was.unstarted(),
              was.unstartedTokens(),
              was.movedNanos(),
              was.trust() + TRUST_GAIN * (kept - was.trust()),
              was.tokensPerSecond());
    }
  }

  /**
   * The outlook on a prompt of which the index says that so much is cached.
   *
   * @param forOthers leases that the worker holds for other routers
   * @param unseenTokens prompt tokens of other routers that it does not know of yet
   */
  Outlook outlook(
      WorkerSnapshot worker, long indexedTokens, int forOthers, long unseenTokens, long nowNanos) {
    Seen now = seen;
    Outlook said = Outlook.of(worker);
    double prefill =
        worker.pace().prefillTokensPerSecond() > 0 || now.tokensPerSecond() == 0
            ? said.prefillTokensPerSecond()
            : now.tokensPerSecond();
    return new Outlook(
        indexedTokens == 0 ? 0 : Math.round(indexedTokens * now.trust()),
        waitingForOthers(worker, forOthers) + unseenTokens + now.unstartedNow(prefill, nowNanos),
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

  long unstartedTokens() {
    return seen.unstartedTokens();
  }

  boolean isIdle() {
    return seen.unstarted() == 0;
  }
}
