package io.sluice.router.prefix;

/** Makes prefix chains for tests. */
public final class TestChain {
  private TestChain() {}

  /** Returns a chain of blocks that follow from a first one; equal firsts give equal chains. */
  public static PrefixChain chain(long first, int blocks) {
    long[] hashes = new long[blocks];
    long hash = first;
    for (int block = 0; block < blocks; block++) {
      hash = PrefixHasher.finish(hash + 1);
      hashes[block] = hash;
    }
    return new PrefixChain(hashes, 64);
  }
}
