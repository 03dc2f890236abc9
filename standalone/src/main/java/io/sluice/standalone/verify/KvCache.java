package io.sluice.standalone.verify;

import io.sluice.simulator.fit.MetricsPage;
import java.util.Optional;

/**
 * The KV cache of an engine, as its metrics tell it, and what fills it.
 *
 * @param blocks those that can be used: one is the null block
 * @param context the longest prompt plus output, in tokens
 */
record KvCache(int blocks, int blockTokens, int context) {
  /** More takes minutes to fill, even where it is slowly. */
  private static final long MOST_TOKENS = 131_072;

  /** More takes more requests than a worker gives an engine at once. */
  private static final int MOST_CONTEXTS = 16;

  /** So many requests fill it, or more where a context is less. */
  private static final int SHARES = 4;

  private static final String CONFIG = "vllm:cache_config_info";

  /** Reads an engine's page; empty if that does not tell it. */
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

  /** What it holds. */
  long tokens() {
    return (long) blocks * blockTokens;
  }

  /** Whether it can be filled within seconds. */
  boolean isSmall() {
    return tokens() <= Math.min(MOST_TOKENS, (long) MOST_CONTEXTS * context);
  }

  /** The flags of a vLLM whose cache can be filled. */
  String flags() {
    long shorter = MOST_TOKENS / SHARES;
    long length = Math.min(context, shorter);
    return (length < context ? "--max-model-len " + length + " " : "")
        + "--num-gpu-blocks-override "
        + Math.max(2, SHARES * length / blockTokens);
  }

  /** The tokens of a large request, of which some fill it. */
  int share() {
    return (int) Math.min(context, tokens() / SHARES);
  }
}
