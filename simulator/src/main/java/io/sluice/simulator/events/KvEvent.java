package io.sluice.simulator.events;

import io.sluice.simulator.engine.StoredBlocks;

/** A change of the prefix cache. */
sealed interface KvEvent {

  /** Blocks that can be hit from now on. */
  record Stored(StoredBlocks blocks) implements KvEvent {}

  /** A block that was evicted. */
  record Removed(long hash) implements KvEvent {}

  /** All blocks were removed. */
  record Cleared() implements KvEvent {}
}
