package io.sluice.simulator.engine;

/**
 * Counts the KV-cache blocks of an engine. Block 0 is the null block, as in vLLM, so one block less
 * than the pool's size can be used.
 */
final class BlockPool {

  static final int BLOCK_TOKENS = 16;

  private final int usableBlocks;
  private int freeBlocks;

  BlockPool(int blocks) {
    usableBlocks = blocks - 1;
    freeBlocks = usableBlocks;
  }

  static int blocksFor(int tokens) {
    return (tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
  }

  boolean canTake(int blocks) {
    return blocks <= freeBlocks;
  }

  boolean take(int blocks) {
    if (!canTake(blocks)) {
      return false;
    }
    freeBlocks -= blocks;
    return true;
  }

  void give(int blocks) {
    freeBlocks += blocks;
  }

  double usage() {
    return (double) (usableBlocks - freeBlocks) / usableBlocks;
  }
}
