package io.sluice.simulator.engine;

import java.util.Arrays;

/**
 * Finds the block of a hash. It uses open addressing over primitive arrays, because a busy engine
 * looks up thousands of blocks in a step and boxing would dominate the cost. Hash 0 is not allowed.
 */
final class HashIndex {

  private final long[] keys;
  private final int[] blocks;
  private final int mask;

  /** Creates an index for up to {@code entries} hashes. */
  HashIndex(int capacity) {
    int slots = Integer.highestOneBit(Math.max(8, capacity * 2 - 1)) * 2;
    keys = new long[slots];
    blocks = new int[slots];
    mask = slots - 1;
  }

  /** Returns the block of a hash, or 0 if the hash is unknown. */
  int get(long hash) {
    return blocks[slotOf(hash)];
  }

  void put(long hash, int block) {
    int slot = slotOf(hash);
    keys[slot] = hash;
    blocks[slot] = block;
  }

  /** Removes a hash and moves later ones up, so that no gap breaks a later search. */
  void remove(long hash) {
    int gap = slotOf(hash);
    if (keys[gap] == 0) {
      return;
    }
    int slot = gap;
    while (true) {
      slot = (slot + 1) & mask;
      if (keys[slot] == 0) {
        break;
      }
      int distanceToHome = (slot - home(keys[slot])) & mask;
      int distanceToGap = (slot - gap) & mask;
      if (distanceToHome >= distanceToGap) {
        keys[gap] = keys[slot];
        blocks[gap] = blocks[slot];
        gap = slot;
      }
    }
    keys[gap] = 0;
    blocks[gap] = 0;
  }

  void clear() {
    Arrays.fill(keys, 0);
    Arrays.fill(blocks, 0);
  }

  private int slotOf(long hash) {
    int slot = home(hash);
    while (keys[slot] != 0 && keys[slot] != hash) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long hash) {
    return (int) (hash >>> 20) & mask;
  }
}
