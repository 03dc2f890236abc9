package io.sluice.simulator.engine;

/**
 * The limits of an engine.
 *
 * @param profile the GPU whose step times it has
 * @param maxModelLen the most tokens of prompt and output together
 * @param maxNumSeqs the most running sequences
 * @param maxNumBatchedTokens the most tokens computed in one step
 * @param kvBlocks KV-cache blocks of 16 tokens, one of which is the null block
 * @param seed the seed of the noise
 * @param noiseSigma the width of the lognormal noise on step times; 0 for none
 * @param speed how many times faster than the GPU the engine runs; 1 for real time
 */
public record EngineConfig(
    GpuProfile profile,
    int maxModelLen,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int kvBlocks,
    long seed,
    double noiseSigma,
    double speed) {

  /** Checks the limits; the messages say what to change. */
  public EngineConfig {
    if (maxModelLen < 1 || maxNumSeqs < 1 || maxNumBatchedTokens < 1) {
      throw new IllegalArgumentException(
          "max-model-len, max-num-seqs and max-num-batched-tokens must be at least 1.");
    }
    if (speed <= 0 || noiseSigma < 0) {
      throw new IllegalArgumentException("speed must be positive and noise not negative.");
    }
    // Otherwise one long sequence could preempt itself for ever.
    if (BlockPool.blocksFor(maxModelLen) > kvBlocks - 1) {
      throw new IllegalArgumentException(
          "The KV cache of %d blocks holds %d tokens, less than max-model-len %d: lower max-model-len or raise kv-blocks."
              .formatted(
                  kvBlocks, Math.max(0, kvBlocks - 1) * BlockPool.BLOCK_TOKENS, maxModelLen));
    }
  }

  /** Returns the tokens per KV block. */
  public int blockTokens() {
    return BlockPool.BLOCK_TOKENS;
  }
}
