package io.sluice.fleet.breaker;

/** What a breaker lets through. */
public enum BreakerPhase {
  /** All requests. */
  CLOSED(0),
  /** At most {@link BreakerRules#probes()} requests at once, as probes. */
  HALF_OPEN(1),
  /** No new requests; running ones continue. */
  OPEN(2);

  private final int level;

  BreakerPhase(int level) {
    this.level = level;
  }

  /** Returns the number for metrics: 0 closed, 1 half-open, 2 open. */
  public int level() {
    return level;
  }

  /** Returns whether another request is let through while the worker has this many. */
  public boolean admitsWith(int requests) {
    return switch (this) {
      case CLOSED -> true;
      case HALF_OPEN -> requests < BreakerRules.STANDARD.probes();
      case OPEN -> false;
    };
  }
}
