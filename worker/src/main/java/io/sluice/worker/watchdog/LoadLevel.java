package io.sluice.worker.watchdog;

/**
 * How much an engine had to do, in coarse steps: only windows of one level are compared. An engine
 * takes longer under more load, so a level's times are bounds for all levels below it.
 *
 * @param requests in the engine, in steps of 2
 * @param tokens of their contexts or prompts, in steps of 4
 * @param prefill computed prompt tokens per second, in steps of 8
 */
record LoadLevel(int requests, int tokens, int prefill) {

  /** Returns what the time to the first token depends on. */
  static LoadLevel ofPrompts(EngineWindow window) {
    return of(window, window.promptTokens());
  }

  /** Returns what the time between tokens depends on. */
  static LoadLevel ofContexts(EngineWindow window) {
    return of(window, window.contextTokens());
  }

  private static LoadLevel of(EngineWindow window, double tokens) {
    return new LoadLevel(
        steps(window.requests(), 2), steps(tokens, 4), steps(window.prefillRate(), 8));
  }

  private static int steps(double amount, int factor) {
    return (int) Math.round(Math.log1p(amount) / Math.log(factor));
  }

  /** Returns whether no part of this load is above the other's. */
  boolean isAtMost(LoadLevel other) {
    return requests <= other.requests && tokens <= other.tokens && prefill <= other.prefill;
  }
}
