package io.sluice.simulator.engine;

/**
 * What determines, in addition to its tokens, which cached blocks a sequence can share.
 *
 * @param loraName the LoRA adapter, which is part of every block's hash; empty for the base model
 * @param salt the {@code cache_salt}, which is part of the first block's hash; empty for none
 * @param reads whether cached blocks are used at all; a request for prompt logprobs computes its
 *     whole prompt
 */
public record CacheScope(String loraName, String salt, boolean reads) {

  /** The base model without a salt. */
  public static final CacheScope SHARED = new CacheScope("", "", true);

  /** Returns this scope with another LoRA adapter. */
  public CacheScope withLora(String name) {
    return new CacheScope(name, salt, reads);
  }

  /** Returns this scope with another salt. */
  public CacheScope withSalt(String value) {
    return new CacheScope(loraName, value, reads);
  }

  /** Returns this scope for a sequence that must compute its whole prompt. */
  public CacheScope withoutReading() {
    return new CacheScope(loraName, salt, false);
  }
}
