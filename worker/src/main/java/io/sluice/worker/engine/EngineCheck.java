package io.sluice.worker.engine;

import java.util.concurrent.CompletableFuture;

/** Tells whether the engine is still there. Thread-safe. */
public interface EngineCheck {

  /** The condition of an engine. */
  enum Condition {
    /** It answers, and its models are known. */
    UP,
    /** It does not answer, or rejects its worker. It may still be running. */
    AWAY,
    /** Nothing listens at its address, or it reports itself dead. Its requests are lost. */
    DEAD
  }

  /**
   * Has the engine probed.
   *
   * @return the condition found by a probe that begins after this call; completes within some
   *     seconds
   */
  CompletableFuture<Condition> condition();

  /**
   * Counts the engine processes seen so far. A different number means that another process has
   * taken the engine's place, without any of the requests of the one before.
   */
  long life();
}
