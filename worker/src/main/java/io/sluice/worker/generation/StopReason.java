package io.sluice.worker.generation;

/** Why a generation is stopped from outside. */
public enum StopReason {
  /** The caller wants no answer any more: the terminal record says so. */
  CANCELLED,
  /** The router has taken the lease back: nothing more is written. */
  REVOKED,
  /** The worker is to stop: what was made is kept, the rest is handed back. */
  DRAINING,
  /** The process was frozen, or must go at once: nothing more is written or reported. */
  ABANDONED
}
