package io.sluice.simulator.admin;

import java.time.Duration;
import java.util.Optional;

/** The operations on an engine, except faults. Thread-safe. No operation blocks. */
public interface Operations {

  /** The state of an engine. */
  enum State {
    /** It serves requests. */
    SERVING,
    /** Its engine is dead, and its server still answers. */
    DEAD,
    /** Its process has ended; it may be booting. */
    DOWN
  }

  /** Returns the state. */
  State state();

  /** Returns the number of KV blocks lost to a leak since the last boot. */
  int lostBlocks();

  /** Returns whether any request is queued or running. */
  boolean isBusy();

  /**
   * Makes the engine die as after a CUDA error: requests get 500, the health check gets 503, and
   * soon the server ends.
   *
   * @param boot how long the following restart takes; empty for no restart
   */
  void die(Optional<Duration> boot);

  /** Ends the process as the kernel does when it is out of memory: all sockets close at once. */
  void outOfMemory(Optional<Duration> boot);

  /** Does what SIGTERM does: see {@code SimulatedEngine.terminate}. */
  void terminate();

  /** Stops in an orderly way and boots again. */
  void restart(Duration boot);
}
