package io.sluice.simulator.command;

import io.sluice.config.Setting;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.timing.ModelSize;
import io.sluice.simulator.engine.timing.Timing;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of the simulated engine, named as in vLLM where it has them.
 *
 * @param limits the memory and the limits of a step
 * @param speed the time that steps take
 * @param rules the rules of the scheduler
 */
public record EngineSettings(Limits limits, Speed speed, Rules rules) {

  /**
   * The memory and the limits of a step. Each is empty for what the profile says.
   *
   * @param maxModelLen the largest number of tokens in prompt and output together
   * @param maxNumSeqs the largest number of running sequences
   * @param maxNumBatchedTokens the largest number of tokens computed in one step
   * @param kvBlocks the number of KV-cache blocks
   * @param blockSize the number of tokens in a KV-cache block
   */
  public record Limits(
      @Setting(
              otherwise = "by profile; built-in ones 16384",
              unit = "tokens",
              min = 1,
              meaning = "The largest number of tokens in prompt and output together.")
          OptionalInt maxModelLen,
      @Setting(
              otherwise = "by profile",
              unit = "sequences",
              min = 1,
              meaning = "The largest number of running sequences.")
          OptionalInt maxNumSeqs,
      @Setting(
              otherwise = "by profile",
              unit = "tokens",
              min = 1,
              meaning = "The largest number of tokens computed in one step.")
          OptionalInt maxNumBatchedTokens,
      @Setting(
              otherwise = "by profile: what fits next to the weights",
              unit = "blocks",
              min = 1,
              meaning = "The number of KV-cache blocks.")
          OptionalInt kvBlocks,
      @Setting(
              otherwise = "by profile; built-in ones 16",
              unit = "tokens",
              min = 1,
              meaning = "The number of tokens in a KV-cache block.")
          OptionalInt blockSize) {}

  /**
   * The time that steps take.
   *
   * @param seed the seed of noise, stalls and faults
   * @param speed the speed relative to the GPU
   * @param modelSize the size of the model
   * @param tensorParallelSize the number of GPUs that share the model
   * @param noise the width of the noise; empty for what the profile says
   * @param stallsPerThousand the number of steps in 1,000 that stall
   */
  public record Speed(
      @Setting(
              defaultValue = "0",
              meaning = "The seed of the noise on step times and of the probabilities of faults.")
          long seed,
      @Setting(
              defaultValue = "1",
              min = 0,
              meaning = "The speed relative to the GPU; 1 is real time.")
          double speed,
      @Setting(
              defaultValue = "8b",
              unit = "size",
              meaning = "The size of the model: `1b`, `3b`, `7b`, `8b`, `14b`, `32b` or `70b`.")
          ModelSize modelSize,
      @Setting(
              defaultValue = "1",
              unit = "GPUs",
              min = 1,
              meaning = "The number of GPUs that share the model.")
          int tensorParallelSize,
      @Setting(
              otherwise = "by profile; built-in ones 0.03",
              min = 0,
              meaning = "The width of the lognormal noise on step times; 0 for none.")
          Optional<Double> noise,
      @Setting(
              defaultValue = "0",
              unit = "steps",
              min = 0,
              max = 1_000,
              meaning = "The number of steps in 1,000 that take 2 to 5 times as long.")
          double stallsPerThousand) {

    public Speed {
      if (speed <= 0) {
        throw new IllegalArgumentException("--speed is '0', but must be greater than 0");
      }
    }

    private Timing timing(Timing defaults) {
      return defaults
          .withModel(modelSize)
          .withTensorParallel(tensorParallelSize)
          .withNoise(seed, noise.orElse(defaults.noiseSigma()), stallsPerThousand)
          .withSpeed(speed);
    }
  }

  /**
   * The rules of the scheduler.
   *
   * @param schedulingPolicy the order of sequences
   * @param noAsyncScheduling whether each step is decided when the previous one has ended
   * @param longPrefillTokenThreshold the largest number of tokens of one prompt in one step; 0 for
   *     no limit
   * @param maxLoras the largest number of LoRA adapters in one step
   * @param noEnablePrefixCaching whether every prompt is computed completely
   */
  public record Rules(
      @Setting(
              defaultValue = "fcfs",
              unit = "policy",
              meaning =
                  "The order of sequences: `fcfs`, or `priority` by the field `priority` or the"
                      + " header `X-Vllm-Priority`, lower first.")
          SchedulingPolicy schedulingPolicy,
      @Setting(
              meaning =
                  "Decide each step after the previous one has ended, instead of when it starts.")
          boolean noAsyncScheduling,
      @Setting(
              defaultValue = "0",
              unit = "tokens",
              min = 0,
              meaning = "The largest number of tokens of one prompt in one step; 0 for no limit.")
          int longPrefillTokenThreshold,
      @Setting(
              defaultValue = "1",
              unit = "adapters",
              min = 0,
              meaning = "The largest number of LoRA adapters in one step.")
          int maxLoras,
      @Setting(meaning = "Disable the prefix cache: compute every prompt completely.")
          boolean noEnablePrefixCaching) {}

  SimulatorConfig applyTo(SimulatorConfig config) {
    SimulatorConfig changed =
        config
            .withTiming(speed.timing(config.timing()))
            .withScheduling(scheduling(config.scheduling()))
            .withPrefixCaching(!rules.noEnablePrefixCaching())
            .withMaxModelLen(limits.maxModelLen().orElse(config.maxModelLen()))
            .withBlockTokens(limits.blockSize().orElse(config.blockTokens()));
    return limits.kvBlocks().isPresent()
        ? changed.withKvBlocks(limits.kvBlocks().getAsInt())
        : changed;
  }

  private Scheduling scheduling(Scheduling defaults) {
    return new Scheduling(
        limits.maxNumSeqs().orElse(defaults.maxNumSeqs()),
        limits.maxNumBatchedTokens().orElse(defaults.maxNumBatchedTokens()),
        rules.longPrefillTokenThreshold(),
        rules.schedulingPolicy(),
        rules.maxLoras(),
        !rules.noAsyncScheduling());
  }
}
