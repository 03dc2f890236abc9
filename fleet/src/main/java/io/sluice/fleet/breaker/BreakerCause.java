package io.sluice.fleet.breaker;

/** Why a breaker is not closed. */
public enum BreakerCause {
  /** An operator's override. */
  OPERATOR,
  /** The engine does not respond. */
  ENGINE_DEAD,
  /** The engine's KV cache is nearly full. */
  MEMORY,
  /** Consecutive requests failed. */
  FAILURES
}
