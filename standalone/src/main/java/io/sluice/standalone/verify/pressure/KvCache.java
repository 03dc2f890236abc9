package io.sluice.standalone.verify.pressure;

import io.sluice.simulator.fit.MetricsPage;
import java.util.Optional;

/**
 * The KV cache of an engine by its metrics, and the load that fills it.
 *
 * @param blocks the usable blocks, without the null block
 * @param context the maximum of prompt plus output, in tokens
 */
record KvCache(int blocks, int blockTokens, int context) {
  /** A larger cache takes minutes to fill on a slow engine. */
  private static final long MOST_TOKENS = 131_072;

  /** A larger cache needs more requests than a worker gives to an engine at once. */
  private static final int MOST_CONTEXTS = 16;

  /** The number of requests that fill the cache, or more if their context is too short for that. */
  private static final int SHARES = 4;

  private static final String CONFIG = "vllm:cache_config_info";

  /** Reads an engine's page; empty if it does not describe the cache. */
  static Optional<KvCache> of(MetricsPage page, int context) {
    int blocks = number(page, "num_gpu_blocks");
    int blockTokens = number(page, "block_size");
    return blocks > 1 && blockTokens > 0 && context > 0
        ? Optional.of(new KvCache(blocks - 1, blockTokens, context))
        : Optional.empty();
  }

  private static int number(MetricsPage page, String label) {
    return page.label(CONFIG, label)
        .filter(text -> text.matches("[0-9]{1,9}"))
        .map(Integer::parseInt)
        .orElse(0);
  }

  /** Returns the capacity of the cache in tokens. */
  long tokens() {
    return (long) blocks * blockTokens;
  }

  /** Returns whether the cache can be filled within seconds. */
  boolean isSmall() {
    return tokens() <= Math.min(MOST_TOKENS, (long) MOST_CONTEXTS * context);
  }

  /** Returns the flags for a vLLM whose cache can be filled. */
  String flags() {
    long shorter = MOST_TOKENS / SHARES;
    long length = Math.min(context, shorter);
    return (length < context ? "--max-model-len " + length + " " : "")
        + "--num-gpu-blocks-override "
        + Math.max(2, SHARES * length / blockTokens);
  }

  /** Returns the tokens of a large request, a few of which fill the cache. */
  int share() {
    return (int) Math.min(context, tokens() / SHARES);
  }
}
