package io.sluice.bench.faults;

import io.sluice.simulator.fit.MetricsPage;

/** How many tokens the KV cache of an engine holds, as its metrics tell it. */
final class KvCapacity {
  private static final String CONFIG = "vllm:cache_config_info";

  /** More takes too long to fill. */
  private static final long MOST_TOKENS = 65_536;

  private KvCapacity() {}

  /** It is not known, or more than can be filled within a minute. */
  static final class UnfitException extends Exception {
    private UnfitException(String message) {
      super(message);
    }
  }

  /** Reads a page. */
  static long tokensOf(MetricsPage page) throws UnfitException {
    long tokens = number(page, "num_gpu_blocks") * number(page, "block_size");
    if (tokens == 0 || tokens > MOST_TOKENS) {
      throw new UnfitException(
          ("a KV cache of %,d tokens cannot be filled soon; start the engine with"
                  + " --num-gpu-blocks-override, so that it holds at most %,d")
              .formatted(tokens, MOST_TOKENS));
    }
    return tokens;
  }

  private static long number(MetricsPage page, String label) {
    return page.label(CONFIG, label)
        .filter(text -> text.matches("[0-9]{1,9}"))
        .map(Long::parseLong)
        .orElse(0L);
  }
}
