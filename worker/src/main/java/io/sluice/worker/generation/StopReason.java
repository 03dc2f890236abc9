package io.sluice.worker.generation;

/** Why a generation is stopped from outside. */
public enum StopReason {
  /** The router revoked the lease, or ended the request: nothing more is written. */
  REVOKED,
  /** The worker drains: tokens made are kept, and the request is handed back. */
  DRAINING,
  /** Other requests need the room: tokens made are kept, and the request is handed back. */
  EVICTED,
  /**
   * The engine does not answer: requests that it has not begun, or does not continue, are handed
   * back at once.
   */
  ENGINE_AWAY,
  /** The engine is dead, possibly because of a request that it had begun. */
  ENGINE_DEAD,
  /** The process was frozen, or stops at once: nothing more is written or reported. */
  ABANDONED
}
