package io.sluice.router.prefix;

/**
 * The prefix of a prompt, block by block. The hash of each block covers all blocks before it, so
 * two prompts with an equal hash have an equal prefix. An engine's prefix cache is chained in the
 * same way, over its own blocks. Immutable.
 */
public final class PrefixChain {
  /** The chain of a prompt whose prefix is not known or is shorter than a block. */
  public static final PrefixChain NONE = new PrefixChain(new long[0], 1);

  private final long[] hashes;
  private final int tokensPerBlock;

  /**
   * A chain of whole blocks.
   *
   * @param hashes from the first block on; must not be changed afterwards
   * @param tokensPerBlock the estimated number of tokens per block
   */
  public PrefixChain(long[] hashes, int tokensPerBlock) {
    this.hashes = hashes;
    this.tokensPerBlock = tokensPerBlock;
  }

  /** Returns the number of whole blocks. */
  public int blocks() {
    return hashes.length;
  }

  /** Returns the hash of a block and all before it; never 0. */
  public long hash(int block) {
    return hashes[block] == 0 ? 1 : hashes[block];
  }

  /** Returns the number of tokens per block. */
  public int tokensPerBlock() {
    return tokensPerBlock;
  }
}
