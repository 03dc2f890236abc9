package io.sluice.fleet.breaker;

/** Why a breaker does not let everything through. */
public enum BreakerCause {
  /** An operator says so. */
  OPERATOR,
  /** The engine does not answer. */
  ENGINE_DEAD,
  /** The engine's KV cache is nearly full. */
  MEMORY,
  /** Requests failed there one after another. */
  FAILURES
}
