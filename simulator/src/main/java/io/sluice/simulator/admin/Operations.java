package io.sluice.simulator.admin;

import java.time.Duration;
import java.util.Optional;

/** What an operator can do to an engine besides faults. Thread-safe; nothing waits. */
public interface Operations {

  /** What an engine is doing. */
  enum State {
    /** It serves. */
    SERVING,
    /** Its engine is dead, its server still answers. */
    DEAD,
    /** Its process is gone; it may be booting. */
    DOWN
  }

  /** Returns what it is doing. */
  State state();

  /** Returns the KV blocks that a leak has taken since the last boot. */
  int lostBlocks();

  /** Returns whether any request is queued or running. */
  boolean isBusy();

  /**
   * Lets the engine die as after a CUDA error: 500 for all requests, 503 for health, and soon the
   * end of the server.
   *
   * @param boot how long the restart that follows takes; empty for none
   */
  void die(Optional<Duration> boot);

  /** Ends the process as the kernel does when memory is out: all sockets close at once. */
  void outOfMemory(Optional<Duration> boot);

  /** Does what a SIGTERM does: see {@code SimulatedEngine.terminate}. */
  void terminate();

  /** Stops in good order and boots again. */
  void restart(Duration boot);
}
