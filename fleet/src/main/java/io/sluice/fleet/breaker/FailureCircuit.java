package io.sluice.fleet.breaker;

import java.util.Objects;

/**
 * The part of a breaker that counts failures. Immutable.
 *
 * @param phase its own position, whatever other causes say
 * @param failures in a row, while it is closed
 * @param successes of probes, while it is half open
 * @param trips how often it has opened since it was last closed for long
 * @param openUntilMillis when an open one becomes half open, epoch milliseconds
 * @param sinceMillis when it took its position, epoch milliseconds
 */
public record FailureCircuit(
    BreakerPhase phase,
    int failures,
    int successes,
    int trips,
    long openUntilMillis,
    long sinceMillis) {
  private static final BreakerRules RULES = BreakerRules.STANDARD;

  /** Closed, without a past. */
  static final FailureCircuit NEW = new FailureCircuit(BreakerPhase.CLOSED, 0, 0, 0, 0, 0);

  public FailureCircuit {
    Objects.requireNonNull(phase, "phase is missing");
  }

  /** While it is open nothing new was let in: what fails then began before, and proves nothing. */
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

  /** Opens it, or extends the time for which it is open; never shortens that. */
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

  /** An end that lies further away than any open time is that of a clock that is wrong. */
  FailureCircuit ticked(long nowMillis) {
    boolean isOver =
        nowMillis >= openUntilMillis || openUntilMillis - nowMillis > RULES.longestOpenMillis();
    return phase == BreakerPhase.OPEN && isOver ? probing(nowMillis) : this;
  }

  FailureCircuit probing(long nowMillis) {
    return new FailureCircuit(BreakerPhase.HALF_OPEN, 0, 0, trips, openUntilMillis, nowMillis);
  }
}
