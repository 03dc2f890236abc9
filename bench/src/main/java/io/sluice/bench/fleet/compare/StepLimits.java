package io.sluice.bench.fleet.compare;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that bound what engines compute in one step, named like vLLM's. */
final class StepLimits {
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "TOKENS",
      description = "The most tokens that an engine computes in one step. Default: its profile's.")
  private Optional<Integer> batchedTokens = Optional.empty();

  @Option(
      names = "--long-prefill-token-threshold",
      paramLabel = "TOKENS",
      description = "The most tokens of one prompt in one step. Default: no limit.")
  private Optional<Integer> promptTokens = Optional.empty();

  /**
   * The engine with these limits.
   *
   * @throws IllegalArgumentException if a limit is out of range
   */
  EngineConfig of(EngineConfig engine) {
    Scheduling rules = engine.scheduling();
    return engine.withScheduling(
        rules
            .withLimits(rules.maxNumSeqs(), batchedTokens.orElse(rules.maxNumBatchedTokens()))
            .withLongPrefillTokenThreshold(promptTokens.orElse(rules.longPrefillTokenThreshold())));
  }
}
