package io.sluice.worker.generation;

import java.util.concurrent.CompletableFuture;

/** Whether the engine is up. Thread-safe. */
@FunctionalInterface
public interface EngineCheck {

  /**
   * Has the engine looked at.
   *
   * @return whether it is up, by a look that begins after this call; comes within some seconds
   */
  CompletableFuture<Boolean> isUp();
}
