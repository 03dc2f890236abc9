package io.sluice.simulator.engine;

import java.util.Arrays;

/**
 * The KV-cache blocks of an engine. As in vLLM, block 0 is the null block, so that one block fewer
 * than the size of the pool can be used.
 *
 * <p>A block is in use as long as a sequence refers to it. Free blocks form a list, and the first
 * one is taken. Freed blocks that are cached join at the end of the list, so that the one freed
 * longest ago is evicted first; uncached blocks join at the head. A hit removes a cached block from
 * the list.
 *
 * <p>INVARIANT: a block is in the free list exactly when no sequence refers to it, and the index
 * contains a hash exactly while its block has it. Not thread-safe.
 */
final class BlockPool {

  /** The null block is also the anchor of the free list, since it is never in the list itself. */
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

  /** Returns the number of tokens per block. */
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

  /**
   * Takes the block that has been free for the longest time and discards its content. There must be
   * a free block.
   */
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

  /** Adds a reference to a block that was found. */
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

  /** Makes a used block findable, unless another block with the same content already is. */
  void cache(int block, long hash) {
    if (hashes[block] == UNCACHED && index.get(hash) == 0) {
      hashes[block] = hash;
      index.put(hash, block);
      listener.stored(hash);
    }
  }

  /** Takes free blocks permanently, as many as there are. They count as used. */
  int leak(int blocks) {
    int leaked = Math.min(blocks, freeBlocks);
    for (int i = 0; i < leaked; i++) {
      take();
    }
    leakedBlocks += leaked;
    return leaked;
  }

  /**
   * Discards the content of all blocks. Returns false and has no effect while any block is in use.
   */
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
