package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;

final class Outlooks {
  private Outlooks() {}

  /** Returns the outlook from the worker's report alone, with a cached prefix. */
  static Outlook of(WorkerSnapshot worker, long cachedTokens) {
    Outlook reported = Outlook.of(worker);
    return new Outlook(
        cachedTokens,
        cachedTokens,
        reported.queuedTokens(),
        reported.prefillTokensPerSecond(),
        reported.stepMillis());
  }
}
