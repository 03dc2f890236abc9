package io.sluice.router.prefix;

/**
 * Which of up to 64 workers have which block: an open-addressing table from a block's hash to a bit
 * set. An entry lives as long as any worker has the block, so the table is bounded by the contents
 * of the workers' caches. Not thread-safe.
 */
final class HolderTable {
  private static final int SMALLEST = 256;

  private long[] hashes = new long[SMALLEST];
  private long[] holders = new long[SMALLEST];
  private int used;

  int size() {
    return used;
  }

  /** Returns one bit for each worker that has the block. */
  long holders(long hash) {
    return holders[find(hash)];
  }

  void add(long hash, long worker) {
    int at = find(hash);
    if (holders[at] == 0) {
      if (2 * (used + 1) > hashes.length) {
        grow();
        at = find(hash);
      }
      hashes[at] = hash;
      used++;
    }
    holders[at] |= worker;
  }

  void remove(long hash, long worker) {
    int at = find(hash);
    if (holders[at] != 0) {
      holders[at] &= ~worker;
      if (holders[at] == 0) {
        used--;
        closeGap(at);
      }
    }
  }

  /** Returns the place of a hash, or the free place where it would be put. */
  private int find(long hash) {
    int mask = hashes.length - 1;
    int at = home(hash);
    while (holders[at] != 0 && hashes[at] != hash) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(long hash) {
    return (int) ((hash * 0x9e3779b97f4a7c15L) >>> 32) & (hashes.length - 1);
  }

  /** Moves up entries that were displaced by the removed one. */
  private void closeGap(int gap) {
    int mask = hashes.length - 1;
    int free = gap;
    for (int at = (gap + 1) & mask; holders[at] != 0; at = (at + 1) & mask) {
      if (((at - home(hashes[at])) & mask) >= ((at - free) & mask)) {
        hashes[free] = hashes[at];
        holders[free] = holders[at];
        holders[at] = 0;
        free = at;
      }
    }
  }

  private void grow() {
    long[] oldHashes = hashes;
    long[] oldHolders = holders;
    hashes = new long[2 * oldHashes.length];
    holders = new long[hashes.length];
    for (int old = 0; old < oldHashes.length; old++) {
      if (oldHolders[old] != 0) {
        int at = find(oldHashes[old]);
        hashes[at] = oldHashes[old];
        holders[at] = oldHolders[old];
      }
    }
  }
}
