package io.sluice.fleet.breaker;

import java.util.Objects;

/**
 * The part of a breaker that counts failures. Immutable.
 *
 * @param phase its own phase, whatever the other causes are
 * @param failures consecutive failures, while it is closed
 * @param successes successful probes, while it is half-open
 * @param trips how often it has opened since it was last closed for a long time
 * @param openUntilMillis when an open circuit becomes half-open, epoch milliseconds
 * @param sinceMillis when it entered its phase, epoch milliseconds
 */
public record FailureCircuit(
    BreakerPhase phase,
    int failures,
    int successes,
    int trips,
    long openUntilMillis,
    long sinceMillis) {
  private static final BreakerRules RULES = BreakerRules.STANDARD;

  /** A closed circuit without a past. */
  static final FailureCircuit NEW = new FailureCircuit(BreakerPhase.CLOSED, 0, 0, 0, 0, 0);

  public FailureCircuit {
    Objects.requireNonNull(phase, "phase is missing");
  }

  /**
   * While the circuit is open no new requests are let through, so a failure belongs to a request
   * that began before and proves nothing.
   */
  FailureCircuit failed(long nowMillis) {
    if (phase == BreakerPhase.OPEN) {
      return this;
    }
    return phase == BreakerPhase.CLOSED && failures + 1 < RULES.failures()
        ? new FailureCircuit(phase, failures + 1, 0, trips, openUntilMillis, sinceMillis)
        : tripped(nowMillis);
  }

  FailureCircuit succeeded(long nowMillis) {
    return switch (phase) {
      case CLOSED -> new FailureCircuit(phase, 0, 0, trips, openUntilMillis, sinceMillis);
      case HALF_OPEN ->
          successes + 1 < RULES.probes()
              ? new FailureCircuit(phase, 0, successes + 1, trips, openUntilMillis, sinceMillis)
              : new FailureCircuit(BreakerPhase.CLOSED, 0, 0, trips, openUntilMillis, nowMillis);
      case OPEN -> this;
    };
  }

  /** Opens the circuit, or extends the time for which it is open; never shortens that time. */
  FailureCircuit tripped(long nowMillis) {
    if (phase == BreakerPhase.OPEN) {
      long until = Math.max(openUntilMillis, nowMillis + RULES.openMillis(trips));
      return new FailureCircuit(phase, 0, 0, trips, until, sinceMillis);
    }
    boolean isForgiven =
        phase == BreakerPhase.CLOSED && nowMillis - sinceMillis >= RULES.forgiveMillis();
    int more = isForgiven ? 1 : trips + 1;
    long until = nowMillis + RULES.openMillis(more);
    return new FailureCircuit(BreakerPhase.OPEN, 0, 0, more, until, nowMillis);
  }

  /** An end that is further away than the longest open time was set by a wrong clock. */
  FailureCircuit ticked(long nowMillis) {
    boolean isOver =
        nowMillis >= openUntilMillis || openUntilMillis - nowMillis > RULES.longestOpenMillis();
    return phase == BreakerPhase.OPEN && isOver ? probing(nowMillis) : this;
  }

  FailureCircuit probing(long nowMillis) {
    return new FailureCircuit(BreakerPhase.HALF_OPEN, 0, 0, trips, openUntilMillis, nowMillis);
  }
}
