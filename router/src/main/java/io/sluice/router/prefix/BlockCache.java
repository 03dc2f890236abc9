package io.sluice.router.prefix;

import java.util.function.LongConsumer;

/**
 * The block hashes that one worker is believed to have cached: a set-associative cache, as in
 * processors. A hash belongs to one set of places, in which the most recently used comes first and
 * the last one is evicted. So the whole is nearly LRU at eight bytes per block. A prompt is cached
 * up to its first missing block, so sets are large: of small ones, which fill unevenly, one would
 * soon have dropped a block of every long prompt. Bounded by its capacity. Not thread-safe.
 */
final class BlockCache {
  /** The places of a set, at least; fewer if the whole has fewer. */
  private static final int WAYS = 128;

  /** Marks a free place. A block with exactly this hash is not stored. */
  private static final long FREE = 0;

  private final long[] places;
  private final int sets;
  private final int ways;

  /** Creates a cache for at least one block. */
  BlockCache(int capacityBlocks) {
    sets = Math.max(1, capacityBlocks / WAYS);
    ways = Math.max(1, capacityBlocks / sets);
    places = new long[sets * ways];
  }

  int capacityBlocks() {
    return places.length;
  }

  /**
   * Stores a block as the most recently used of its set.
   *
   * @return the hash of the evicted block, 0 if there was none
   */
  long touch(long hash) {
    int first = firstOf(hash);
    int at = first;
    int last = first + ways - 1;
    while (at < last && places[at] != hash && places[at] != FREE) {
      at++;
    }
    long gone = places[at] == hash ? FREE : places[at];
    System.arraycopy(places, first, places, first + 1, at - first);
    places[first] = hash;
    return gone;
  }

  void forEach(LongConsumer visitor) {
    for (long hash : places) {
      if (hash != FREE) {
        visitor.accept(hash);
      }
    }
  }

  private int firstOf(long hash) {
    return (int) Math.unsignedMultiplyHigh(hash * 0x9e3779b97f4a7c15L, sets) * ways;
  }
}
