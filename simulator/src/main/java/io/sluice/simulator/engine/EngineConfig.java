package io.sluice.simulator.engine;

import io.sluice.simulator.engine.timing.Timing;

/**
 * The configuration of an engine.
 *
 * @param timing the time that steps take
 * @param scheduling the limits and rules of the scheduler
 * @param maxModelLen the largest number of tokens in prompt and output together
 * @param kvBlocks the number of KV-cache blocks, one of which is the null block
 * @param blockTokens the number of tokens in a KV-cache block
 * @param prefixCaching whether blocks are cached and reused
 */
public record EngineConfig(
    Timing timing,
    Scheduling scheduling,
    int maxModelLen,
    int kvBlocks,
    int blockTokens,
    boolean prefixCaching) {

  /** Validates the limits. The messages say what to change. */
  public EngineConfig {
    if (maxModelLen < 1) {
      throw new IllegalArgumentException("max-model-len must be at least 1.");
    }
    if (blockTokens < 1) {
      throw new IllegalArgumentException("block-size must be at least 1 token.");
    }
    // Otherwise one long sequence could preempt itself forever.
    if (Math.ceilDiv(maxModelLen, blockTokens) > kvBlocks - 1) {
      throw new IllegalArgumentException(
          "The KV cache of %d blocks holds %d tokens, less than max-model-len %d: lower max-model-len or raise kv-blocks."
              .formatted(kvBlocks, Math.max(0L, kvBlocks - 1L) * blockTokens, maxModelLen));
    }
  }

  /**
   * Returns the defaults of {@code vllm serve} for a model on a GPU, without noise.
   *
   * @throws IllegalArgumentException if the model does not fit on the GPU
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

  /** Returns this configuration with other step times. */
  public EngineConfig withTiming(Timing value) {
    return new EngineConfig(value, scheduling, maxModelLen, kvBlocks, blockTokens, prefixCaching);
  }

  /** Returns this configuration with other limits and rules of the scheduler. */
  public EngineConfig withScheduling(Scheduling value) {
    return new EngineConfig(timing, value, maxModelLen, kvBlocks, blockTokens, prefixCaching);
  }
}
