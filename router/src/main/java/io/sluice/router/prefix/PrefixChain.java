package io.sluice.router.prefix;

/**
 * What a prompt begins with, block by block: the hash of each block covers all blocks before it, so
 * that two prompts with an equal hash begin alike. An engine's prefix cache is chained the same
 * way, over blocks of its own. Immutable.
 */
public final class PrefixChain {
  /** Of a prompt whose beginning is not known, or shorter than a block. */
  public static final PrefixChain NONE = new PrefixChain(new long[0], 1);

  private final long[] hashes;
  private final int tokensPerBlock;

  /**
   * A chain of whole blocks.
   *
   * @param hashes from the first block on; not to be changed afterwards
   * @param tokensPerBlock how many tokens a block has, as estimated
   */
  public PrefixChain(long[] hashes, int tokensPerBlock) {
    this.hashes = hashes;
    this.tokensPerBlock = tokensPerBlock;
  }

  /** How many whole blocks the prompt has. */
  public int blocks() {
    return hashes.length;
  }

  /** The hash of a block and all before it; never 0. */
  public long hash(int block) {
    return hashes[block] == 0 ? 1 : hashes[block];
  }

  /** How many tokens a block has. */
  public int tokensPerBlock() {
    return tokensPerBlock;
  }
}
