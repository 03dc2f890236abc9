package io.sluice.worker.engine;

import java.util.concurrent.CompletableFuture;

/** What has become of the engine. Thread-safe. */
public interface EngineCheck {

  /** How an engine is. */
  enum Condition {
    /** It answers, and its models are known. */
    UP,
    /** It does not answer, or not to its worker; it may run on all the same. */
    AWAY,
    /** Nobody listens where it was, or it says itself that it is dead: what it had is lost. */
    DEAD
  }

  /**
   * Has the engine looked at.
   *
   * @return how it is, by a look that begins after this call; comes within some seconds
   */
  CompletableFuture<Condition> condition();

  /**
   * Which life of the engine the last look was at: another number is another process, which has
   * nothing of what the one before it had.
   */
  long life();
}
