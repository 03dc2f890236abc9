package io.sluice.fleet.breaker;

/** What a breaker lets through, from everything to nothing. */
public enum BreakerPhase {
  /** Everything. */
  CLOSED(0),
  /** Some probes at once, {@link BreakerRules#probes()}. */
  HALF_OPEN(1),
  /** Nothing new; what runs goes on. */
  OPEN(2);

  private final int level;

  BreakerPhase(int level) {
    this.level = level;
  }

  /** How strict it is, for metrics: 0 closed, 1 half open, 2 open. */
  public int level() {
    return level;
  }

  /** Whether it lets one more request in beside those that the worker has. */
  public boolean admitsBeside(int requests) {
    return switch (this) {
      case CLOSED -> true;
      case HALF_OPEN -> requests < BreakerRules.STANDARD.probes();
      case OPEN -> false;
    };
  }
}
