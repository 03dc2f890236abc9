package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * How much longer than it should something may take, for what was done to the pool meanwhile.
 *
 * @param engines say how long it may take when nothing is done
 */
public record Allowance(List<InjectedFault> blows, Engines engines) {
  /** As long as it takes until another router or broker has taken over. */
  static final Duration TAKEOVER = Duration.ofSeconds(15);

  /** Longer by a takeover for each blow that hit a process whose part another one has to do. */
  Duration grace(long fromMillis, long untilMillis) {
    return engines.endWithin().plus(TAKEOVER.multipliedBy(takeovers(fromMillis, untilMillis)));
  }

  /** How many parts were taken over, or were still to be, in a time. */
  long takeovers(long fromMillis, long untilMillis) {
    return hits(fromMillis, untilMillis, Allowance::isTakenOver);
  }

  /** Of these, the routers' parts: what one had not told its log, the next does not know. */
  long routersTakenOver(long fromMillis, long untilMillis) {
    return hits(fromMillis, untilMillis, blow -> blow.affects(Target.Role.ROUTER));
  }

  private long hits(long fromMillis, long untilMillis, Predicate<InjectedFault> which) {
    return blows.stream()
        .filter(
            blow ->
                blow.untilMillis() + TAKEOVER.toMillis() > fromMillis
                    && blow.fromMillis() < untilMillis)
        .filter(blow -> which.test(blow))
        .count();
  }

  private static boolean isTakenOver(InjectedFault blow) {
    return blow.affects(Target.Role.BROKER)
        || blow.affects(Target.Role.ROUTER)
        || blow.affects(Target.Role.WORKER);
  }
}
