package io.sluice.simulator.engine;

/**
 * Receives every change of the prefix cache, in order, on the thread that runs the engine.
 *
 * <p>A hash is stored once and removed once. A second block with the same content, which can result
 * from recomputing the end of a prompt, is not reported, although the real engine reports it again.
 */
public interface BlockListener {

  /** Ignores all changes. */
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

  /** Returns whether stored blocks need to be described. */
  default boolean isListening() {
    return true;
  }

  /** Blocks were cached: they were scheduled and can be hit from now on. */
  void stored(StoredBlocks blocks);

  /** A cached block was evicted. */
  void removed(long hash);

  /** The whole cache was reset. */
  void allCleared();

  /**
   * The time of a step is over, or the cache was reset. All changes since the last call form one
   * batch.
   */
  void stepEnded();
}
