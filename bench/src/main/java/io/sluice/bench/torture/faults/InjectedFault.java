package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.util.List;

/**
 * A fault that was injected.
 *
 * @param fromMillis when its injection began, in epoch milliseconds of this process
 * @param untilMillis when its targets had recovered
 */
public record InjectedFault(long fromMillis, long untilMillis, String label, List<Target> targets) {
  public InjectedFault {
    targets = List.copyOf(targets);
  }

  /** Returns whether it was done to a process of a role. */
  public boolean affects(Target.Role role) {
    return targets.stream().anyMatch(target -> target.role() == role);
  }
}
