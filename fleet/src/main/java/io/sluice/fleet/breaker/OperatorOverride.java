package io.sluice.fleet.breaker;

/** An operator's word on a breaker, which counts until it is taken back. */
public enum OperatorOverride {
  /** None: evidence decides. */
  AUTO,
  FORCED_OPEN,
  FORCED_CLOSED
}
