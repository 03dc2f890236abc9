package io.sluice.worker.generation;

/** Why a generation is stopped from outside. */
public enum StopReason {
  /** The router has taken the lease back, or ended the request: nothing more is written. */
  REVOKED,
  /** The worker is to stop: what was made is kept, the rest is handed back. */
  DRAINING,
  /** Others need the room: what was made is kept, the rest is handed back. */
  EVICTED,
  /** The engine is away: what it has not begun, or goes on with no more, is handed back at once. */
  ENGINE_AWAY,
  /** The engine is dead, and may have died of what it had begun. */
  ENGINE_DEAD,
  /** The process was frozen, or must go at once: nothing more is written or reported. */
  ABANDONED
}
