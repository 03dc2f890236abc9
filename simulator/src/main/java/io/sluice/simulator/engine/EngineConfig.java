package io.sluice.simulator.engine;

/**
 * The set-up of an engine.
 *
 * @param timing how long steps take
 * @param scheduling limits and rules of the scheduler
 * @param maxModelLen the most tokens of prompt and output together
 * @param kvBlocks KV-cache blocks, one of which is the null block
 * @param blockTokens the tokens of a KV-cache block
 * @param prefixCaching whether blocks are cached and found again
 */
public record EngineConfig(
    Timing timing,
    Scheduling scheduling,
    int maxModelLen,
    int kvBlocks,
    int blockTokens,
    boolean prefixCaching) {

  /** Checks the limits; the messages say what to change. */
  public EngineConfig {
    if (maxModelLen < 1) {
      throw new IllegalArgumentException("max-model-len must be at least 1.");
    }
    if (blockTokens < 1) {
      throw new IllegalArgumentException("block-size must be at least 1 token.");
    }
    // Otherwise one long sequence could preempt itself for ever.
    if (Math.ceilDiv(maxModelLen, blockTokens) > kvBlocks - 1) {
      throw new IllegalArgumentException(
          "The KV cache of %d blocks holds %d tokens, less than max-model-len %d: lower max-model-len or raise kv-blocks."
              .formatted(kvBlocks, Math.max(0L, kvBlocks - 1L) * blockTokens, maxModelLen));
    }
  }

  /** An 8B model on one GPU, scheduled in order of arrival, with prefix caching. */
  public EngineConfig(
      GpuProfile profile,
      int maxModelLen,
      int maxNumSeqs,
      int maxNumBatchedTokens,
      int kvBlocks,
      long seed,
      double noiseSigma,
      double speed) {
    this(
        Timing.of(profile).withNoise(seed, noiseSigma, 0).withSpeed(speed),
        Scheduling.of(maxNumSeqs, maxNumBatchedTokens),
        maxModelLen,
        kvBlocks,
        profile.blockTokens(),
        true);
  }

  /**
   * The defaults of {@code vllm serve} for a model on a GPU, without noise.
   *
   * @throws IllegalArgumentException if the model does not fit on it
   */
  public static EngineConfig of(Timing timing, int maxModelLen) {
    return new EngineConfig(
        timing,
        Scheduling.of(timing.profile().maxNumSeqs(), timing.profile().maxNumBatchedTokens()),
        maxModelLen,
        timing.kvBlocks(),
        timing.profile().blockTokens(),
        true);
  }

  /** Returns this set-up with other step times. */
  public EngineConfig withTiming(Timing value) {
    return new EngineConfig(value, scheduling, maxModelLen, kvBlocks, blockTokens, prefixCaching);
  }

  /** Returns this set-up with other limits and rules of the scheduler. */
  public EngineConfig withScheduling(Scheduling value) {
    return new EngineConfig(timing, value, maxModelLen, kvBlocks, blockTokens, prefixCaching);
  }

  /** Returns this set-up with a KV cache of another size. */
  public EngineConfig withKvBlocks(int blocks) {
    return new EngineConfig(timing, scheduling, maxModelLen, blocks, blockTokens, prefixCaching);
  }

  /** Returns this set-up with KV blocks of another size. */
  public EngineConfig withBlockTokens(int tokens) {
    return new EngineConfig(timing, scheduling, maxModelLen, kvBlocks, tokens, prefixCaching);
  }

  /** Returns this set-up with prefix caching on or off. */
  public EngineConfig withPrefixCaching(boolean on) {
    return new EngineConfig(timing, scheduling, maxModelLen, kvBlocks, blockTokens, on);
  }
}
