package io.sluice.bench.fleet.run;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that bound what engines compute in one step, named like vLLM's. */
public final class StepLimits {
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "TOKENS",
      description =
          "The maximum number of tokens that an engine computes in one step. Default: its"
              + " profile's.")
  private Optional<Integer> batchedTokens = Optional.empty();

  @Option(
      names = "--long-prefill-token-threshold",
      paramLabel = "TOKENS",
      description = "The maximum number of tokens of one prompt in one step. Default: no limit.")
  private Optional<Integer> promptTokens = Optional.empty();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /**
   * Returns the engine with these limits.
   *
   * @throws ParameterException if a limit is out of range
   */
  public EngineConfig of(EngineConfig engine) {
    Scheduling rules = engine.scheduling();
    try {
      return engine.withScheduling(
          rules
              .withLimits(rules.maxNumSeqs(), batchedTokens.orElse(rules.maxNumBatchedTokens()))
              .withLongPrefillTokenThreshold(
                  promptTokens.orElse(rules.longPrefillTokenThreshold())));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
