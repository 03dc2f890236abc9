package io.sluice.simulator.engine;

/**
 * Hears of every change of the prefix cache, in order, on the thread that runs the engine.
 *
 * <p>A hash is stored once and removed once: a second block with the same content, which a
 * recomputed prompt end can make, is not announced. The real engine announces it again.
 */
public interface BlockListener {

  /** Nobody listens. */
  BlockListener NONE =
      new BlockListener() {
        @Override
        public boolean isListening() {
          return false;
        }

        @Override
        public void stored(StoredBlocks blocks) {}

        @Override
        public void removed(long hash) {}

        @Override
        public void allCleared() {}

        @Override
        public void stepEnded() {}
      };

  /** Returns whether it is worth describing what is stored. */
  default boolean isListening() {
    return true;
  }

  /** Blocks became cached: they were scheduled, and can be hit from now on. */
  void stored(StoredBlocks blocks);

  /** A cached block was evicted to make room. */
  void removed(long hash);

  /** The whole cache was reset. */
  void allCleared();

  /** A step's time is over, or the cache was reset: what came since the last call is one batch. */
  void stepEnded();
}
