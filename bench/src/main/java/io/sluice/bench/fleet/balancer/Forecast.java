package io.sluice.bench.fleet.balancer;

import io.sluice.simulator.engine.EngineConfig;
import java.util.Collection;

/**
 * When an engine will have the first token of a request, and whether it then has more than it can
 * hold.
 *
 * @param millisToFirstToken from now on
 * @param hasPreemption whether the requests outgrow the KV cache before they end, if no others come
 */
record Forecast(double millisToFirstToken, boolean hasPreemption) {

  /** What an engine has of a request. */
  static final class Open {
    private final int promptTokens;
    private final int outputTokens;
    private int uncomputedTokens;
    private int done;

    /**
     * A request without a token.
     *
     * @param uncomputedTokens tokens of the prompt that have to be computed
     */
    Open(int promptTokens, int outputTokens, int uncomputedTokens) {
      this.promptTokens = promptTokens;
      this.outputTokens = outputTokens;
      this.uncomputedTokens = uncomputedTokens;
    }

    /** Notes the tokens of the prompt that have to be computed, if those are fewer than known. */
    void lacks(int tokens) {
      uncomputedTokens = Math.min(uncomputedTokens, tokens);
    }

    /** Notes the tokens that it has. */
    void has(int tokens) {
      done = tokens;
    }

    int promptTokens() {
      return promptTokens;
    }

    int outputTokens() {
      return outputTokens;
    }

    int uncomputedTokens() {
      return uncomputedTokens;
    }

    int done() {
      return done;
    }
  }

  /**
   * Forecasts the first token of a request.
   *
   * @param before what the engine has, in the order of arrival
   */
  static Forecast of(EngineConfig config, Collection<Open> before, Open request) {
    return new ForecastSteps(config, before, request).untilFirstToken();
  }
}
