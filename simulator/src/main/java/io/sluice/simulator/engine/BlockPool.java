package io.sluice.simulator.engine;

import java.util.Arrays;

/**
 * The KV-cache blocks of an engine. Block 0 is the null block, as in vLLM, so one block less than
 * the pool's size can be used.
 *
 * <p>A block is used as long as a sequence refers to it. Free blocks form a list from which the
 * first one is taken: cached ones join at its end when they are freed, so that the one freed
 * longest ago is evicted first, and uncached ones at its head. A hit takes a cached block out of
 * the list.
 *
 * <p>INVARIANT: a block is in the free list exactly when nobody refers to it; a hash is known to
 * the index exactly while its block carries it. Not thread-safe.
 */
final class BlockPool {

  /** The null block doubles as the anchor of the free list, since it is never in it itself. */
  private static final int ANCHOR = 0;

  private static final long UNCACHED = BlockHashes.NONE;

  private final int blockTokens;
  private final int[] references;
  private final int[] previous;
  private final int[] next;
  private final long[] hashes;
  private final HashIndex index;
  private final BlockListener listener;
  private int freeBlocks;
  private int leakedBlocks;

  BlockPool(int blocks, int blockTokens, BlockListener listener) {
    this.blockTokens = blockTokens;
    references = new int[blocks];
    previous = new int[blocks];
    next = new int[blocks];
    hashes = new long[blocks];
    index = new HashIndex(blocks);
    this.listener = listener;
    for (int block = 1; block < blocks; block++) {
      linkLast(block);
    }
  }

  /** Returns the tokens that one block holds. */
  int blockTokens() {
    return blockTokens;
  }

  int freeBlocks() {
    return freeBlocks;
  }

  int usableBlocks() {
    return references.length - 1;
  }

  double usage() {
    return (double) (usableBlocks() - freeBlocks) / usableBlocks();
  }

  /** Takes the block that was free longest, and forgets its content; there must be one. */
  int take() {
    int block = next[ANCHOR];
    if (block == ANCHOR) {
      throw new IllegalStateException("No KV block is free.");
    }
    unlink(block);
    references[block] = 1;
    if (hashes[block] != UNCACHED) {
      index.remove(hashes[block]);
      listener.removed(hashes[block]);
      hashes[block] = UNCACHED;
    }
    return block;
  }

  /** Returns the block with this content, or 0. */
  int find(long hash) {
    return index.get(hash);
  }

  boolean isFree(int block) {
    return references[block] == 0;
  }

  /** Refers to a block that was found. */
  void share(int block) {
    if (references[block]++ == 0) {
      unlink(block);
    }
  }

  void release(int block) {
    if (--references[block] > 0) {
      return;
    }
    if (hashes[block] == UNCACHED) {
      linkFirst(block);
    } else {
      linkLast(block);
    }
  }

  /** Makes a used block findable; false if another one with the same content already is. */
  boolean cache(int block, long hash) {
    if (hashes[block] != UNCACHED || index.get(hash) != 0) {
      return false;
    }
    hashes[block] = hash;
    index.put(hash, block);
    return true;
  }

  /** Takes free blocks for good, as many as there are; they count as used. */
  int leak(int blocks) {
    int leaked = Math.min(blocks, freeBlocks);
    for (int i = 0; i < leaked; i++) {
      take();
    }
    leakedBlocks += leaked;
    return leaked;
  }

  /** Forgets the content of all blocks; false, and nothing happens, while any block is used. */
  boolean reset() {
    if (freeBlocks + leakedBlocks < usableBlocks()) {
      return false;
    }
    Arrays.fill(hashes, UNCACHED);
    index.clear();
    listener.allCleared();
    return true;
  }

  private void linkLast(int block) {
    link(previous[ANCHOR], block, ANCHOR);
  }

  private void linkFirst(int block) {
    link(ANCHOR, block, next[ANCHOR]);
  }

  private void link(int before, int block, int after) {
    previous[block] = before;
    next[block] = after;
    next[before] = block;
    previous[after] = block;
    freeBlocks++;
  }

  private void unlink(int block) {
    next[previous[block]] = next[block];
    previous[next[block]] = previous[block];
    freeBlocks--;
  }
}
