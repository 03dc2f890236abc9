package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.faults.EngineFault;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * How much longer something may take because of the faults that were injected meanwhile.
 *
 * @param engines how long it may take without any fault
 */
public record DelayAllowance(List<InjectedFault> faults, Engines engines) {
  /** The time until another router, broker or worker has taken over. */
  static final Duration TAKEOVER = Duration.ofSeconds(15);

  /** The workers' default for the time that an engine may take until its first token. */
  private static final Duration FIRST_TOKEN_WITHIN = Duration.ofMinutes(2);

  /**
   * Returns how long a request may wait for its first record in a period: a takeover more for each
   * process that another one replaces, and if an engine hung, the time after which its worker gives
   * it up.
   */
  Duration firstWithin(long fromMillis, long untilMillis) {
    Duration within =
        engines.firstWithin().plus(TAKEOVER.multipliedBy(takeovers(fromMillis, untilMillis)));
    boolean isHung = count(fromMillis, untilMillis, EngineFault::isHang) > 0;
    return isHung ? within.plus(FIRST_TOKEN_WITHIN) : within;
  }

  /**
   * Returns the usual allowance, plus one takeover for each fault of a process that another one
   * replaces.
   */
  Duration grace(long fromMillis, long untilMillis) {
    return engines.endWithin().plus(TAKEOVER.multipliedBy(takeovers(fromMillis, untilMillis)));
  }

  /** Returns how many takeovers were under way in a period. */
  long takeovers(long fromMillis, long untilMillis) {
    return count(fromMillis, untilMillis, DelayAllowance::isTakenOver);
  }

  /**
   * Returns how many of these were of routers: the next router does not know what the old one had
   * not written to its changelog.
   */
  long routersTakenOver(long fromMillis, long untilMillis) {
    return count(fromMillis, untilMillis, fault -> fault.affects(Target.Role.ROUTER));
  }

  /**
   * Returns how many faults of a worker or an engine may have interrupted a request in a period.
   */
  long workersDisrupted(long fromMillis, long untilMillis) {
    return count(
        fromMillis,
        untilMillis,
        fault -> fault.affects(Target.Role.WORKER) || fault.affects(Target.Role.ENGINE));
  }

  private long count(long fromMillis, long untilMillis, Predicate<InjectedFault> which) {
    return faults.stream()
        .filter(
            fault ->
                fault.untilMillis() + TAKEOVER.toMillis() > fromMillis
                    && fault.fromMillis() < untilMillis)
        .filter(fault -> which.test(fault))
        .count();
  }

  private static boolean isTakenOver(InjectedFault fault) {
    return fault.affects(Target.Role.BROKER)
        || fault.affects(Target.Role.ROUTER)
        || fault.affects(Target.Role.WORKER);
  }
}
