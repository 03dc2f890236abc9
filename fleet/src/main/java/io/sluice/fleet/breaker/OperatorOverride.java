package io.sluice.fleet.breaker;

/** An operator's override of a breaker, in effect until it is removed. */
public enum OperatorOverride {
  /** No override: evidence decides. */
  AUTO,
  FORCED_OPEN,
  FORCED_CLOSED
}
