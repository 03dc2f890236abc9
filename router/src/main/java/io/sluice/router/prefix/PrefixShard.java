package io.sluice.router.prefix;

import org.jspecify.annotations.Nullable;

/** The blocks of up to 64 workers, so that one bit per worker suffices. Thread-safe. */
final class PrefixShard {
  static final int WORKERS = 64;

  private final HolderTable table = new HolderTable();
  private final @Nullable BlockCache[] caches = new @Nullable BlockCache[WORKERS];

  /**
   * Walks a chain once for all workers, and returns how many leading blocks each has, by its index.
   */
  synchronized void match(PrefixChain chain, int[] leading, int from) {
    long all = -1L;
    for (int block = 0; all != 0; block++) {
      long still = block < chain.blocks() ? all & table.holders(chain.hash(block)) : 0;
      for (long ended = all & ~still; ended != 0; ended &= ended - 1) {
        leading[from + Long.numberOfTrailingZeros(ended)] = block;
      }
      all = still;
    }
  }

  /**
   * The worker will have these blocks. The first one is touched last, because engines evict from
   * the end. Returns how many leading blocks it already had.
   */
  synchronized int hold(int place, PrefixChain chain, int capacityBlocks) {
    BlockCache cache = caches[place];
    if (cache == null) {
      cache = new BlockCache(capacityBlocks);
      caches[place] = cache;
    }
    long worker = 1L << place;
    int cached = 0;
    while (cached < chain.blocks() && (table.holders(chain.hash(cached)) & worker) != 0) {
      cached++;
    }
    int kept = Math.min(chain.blocks(), cache.capacityBlocks());
    for (int block = kept - 1; block >= 0; block--) {
      long hash = chain.hash(block);
      long gone = cache.touch(hash);
      if (gone != 0) {
        table.remove(gone, worker);
      }
      table.add(hash, worker);
    }
    return cached;
  }

  /** The worker has no blocks any more. */
  synchronized void clear(int place) {
    BlockCache cache = caches[place];
    if (cache != null) {
      cache.forEach(hash -> table.remove(hash, 1L << place));
      caches[place] = null;
    }
  }

  synchronized int entries() {
    return table.size();
  }
}
