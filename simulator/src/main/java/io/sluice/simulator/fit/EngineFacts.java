package io.sluice.simulator.fit;

/**
 * The limits of an engine.
 *
 * @param kvBlocks the number of its KV-cache blocks, including the null block
 * @param blockTokens the number of tokens in a KV-cache block
 * @param prefixCaching whether it reuses cached blocks
 * @param maxModelLen the largest number of tokens in prompt and output together
 * @param maxNumSeqs the largest number of running sequences
 * @param maxNumBatchedTokens the largest number of tokens in a step
 */
public record EngineFacts(
    int kvBlocks,
    int blockTokens,
    boolean prefixCaching,
    int maxModelLen,
    int maxNumSeqs,
    int maxNumBatchedTokens) {

  private static final String CACHE = "vllm:cache_config_info";

  /**
   * Reads the limits of an engine. Those that vLLM does not report are passed in.
   *
   * @throws IllegalStateException if its metrics do not contain the size of its KV cache
   */
  public static EngineFacts of(MeasuredEngine engine, int maxNumSeqs, int maxNumBatchedTokens) {
    MetricsPage page = engine.metrics();
    return new EngineFacts(
        number(page, "num_gpu_blocks"),
        number(page, "block_size"),
        !page.label(CACHE, "enable_prefix_caching").orElse("True").equals("False"),
        engine.maxModelLen(),
        maxNumSeqs,
        maxNumBatchedTokens);
  }

  /** Returns a description of the limits. */
  public String describe() {
    return "context %d, %d KV blocks of %d tokens, max-num-seqs %d, max-num-batched-tokens %d"
        .formatted(maxModelLen, kvBlocks, blockTokens, maxNumSeqs, maxNumBatchedTokens);
  }

  long kvTokens() {
    return (long) kvBlocks * blockTokens;
  }

  private static int number(MetricsPage page, String label) {
    return page.label(CACHE, label)
        .filter(text -> text.matches("[0-9]{1,9}"))
        .map(Integer::parseInt)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "The engine's /metrics has no %s with %s: only a vLLM that serves metrics can be fitted."
                        .formatted(CACHE, label)));
  }
}
