package io.sluice.simulator.engine;

/** Receives every change of the prefix cache, in order, on the thread that runs the engine. */
interface BlockListener {

  /** Ignores all changes. */
  BlockListener NONE =
      new BlockListener() {
        @Override
        public void stored(long hash) {}

        @Override
        public void removed(long hash) {}

        @Override
        public void allCleared() {}
      };

  /**
   * A block was cached: it was scheduled and can be hit from now on. A second block with the same
   * content, which can result from recomputing the end of a prompt, is not reported.
   */
  void stored(long hash);

  /** A cached block was evicted. */
  void removed(long hash);

  /** The whole cache was reset. */
  void allCleared();
}
