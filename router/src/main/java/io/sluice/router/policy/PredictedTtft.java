package io.sluice.router.policy;

/**
 * Prefers the worker that is expected to give the first token soonest, and with the least harm to
 * those that wait for theirs. In milliseconds:
 *
 * <pre>
 * own    = (prompt tokens - cached tokens) / prefill speed
 * queue  = prompt tokens before it / prefill speed
 * memory = missing KV tokens / rate at which the running requests give KV back
 * stall  = streams * running requests * own
 * cost   = own + queue + step + memory + stall
 * </pre>
 *
 * The rate follows from Little's law: requests that hold {@code used} tokens and run for {@code
 * output tokens * step} give back {@code used / (output tokens * step)} per millisecond. The stall
 * is what the running streams lose while the engine computes this prompt.
 *
 * <p>The step of an idle worker is at most the one that is assumed of an engine never measured.
 *
 * <p>The score is logarithmic, so that a doubling counts alike at 100 ms and at 10 s: {@code 1 -
 * ln(1 + cost / 50 ms) / ln(1 + 10 min / 50 ms)}.
 *
 * @param streams how much a millisecond of a running stream counts against one of this request
 */
record PredictedTtft(double streams) implements Scorer {
  private static final double FLOOR_MILLIS = 50;
  private static final double WORST_MILLIS = 600_000;
  private static final double RANGE = Math.log1p(WORST_MILLIS / FLOOR_MILLIS);

  static PredictedTtft of(PolicyWeights weights) {
    return new PredictedTtft(weights.of(PolicyWeight.STREAMS));
  }

  @Override
  public double score(RequestProfile request, Candidate candidate) {
    return scoreOf(costMillis(request, candidate));
  }

  /** Returns when the first token is expected, whatever harm that does. */
  static double expectedMillis(RequestProfile request, Candidate candidate) {
    return new PredictedTtft(0).costMillis(request, candidate);
  }

  /** Returns when the first token would come from the same worker if it had nothing else to do. */
  static double leastMillis(RequestProfile request, Candidate candidate) {
    Outlook outlook = candidate.outlook();
    return outlook.prefillMillis(candidate.uncachedTokens(request)) + outlook.idleStepMillis();
  }

  /** Returns what the first token costs, waiting and harm together. */
  double costMillis(RequestProfile request, Candidate candidate) {
    Outlook outlook = candidate.outlook();
    return ownCostMillis(request, candidate)
        + outlook.prefillMillis((double) outlook.queuedTokens())
        + candidate.stepMillis()
        + memoryMillis(request, candidate);
  }

  /**
   * Returns what computing the prompt costs: its own time, and the stall of the running streams.
   */
  double ownCostMillis(RequestProfile request, Candidate candidate) {
    double own = candidate.outlook().prefillMillis(candidate.uncachedTokens(request));
    return own + streams * candidate.busy() * own;
  }

  private static double memoryMillis(RequestProfile request, Candidate candidate) {
    return millisToGiveBack(candidate.missingTokens(request), request, candidate);
  }

  /** Returns how long the running requests take to give this many KV tokens back. */
  static double millisToGiveBack(double tokens, RequestProfile request, Candidate candidate) {
    if (tokens <= 0) {
      return 0;
    }
    double used = Math.max(1, (1 - candidate.kvFree()) * candidate.snapshot().tokenBudget());
    double lifetimeMillis = request.outputTokens() * candidate.outlook().stepMillis();
    return Math.min(WORST_MILLIS, tokens / used * lifetimeMillis);
  }

  static double scoreOf(double costMillis) {
    return Math.max(0, 1 - Math.log1p(costMillis / FLOOR_MILLIS) / RANGE);
  }

  /**
   * Returns the inverse, for a loss of score through whatever scorer: how slow a worker would have
   * to be to lose as much.
   */
  static double millisOf(double loss) {
    return FLOOR_MILLIS * Math.expm1(loss * RANGE);
  }
}
