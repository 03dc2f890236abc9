package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Makes the wall clock of a process step, and step back when the fault ends.
 *
 * @param offset how far the clock is ahead; negative if it is behind
 */
record ClockSkew(Target target, Duration offset, Duration duration) implements Fault {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "clock skew " + Fault.roles(targets());
  }

  @Override
  public void inject(FaultContext context) throws IOException {
    context.pool().skewClock(target, offset);
  }

  @Override
  public void recover(FaultContext context) throws IOException {
    context.pool().skewClock(target, Duration.ZERO);
  }
}
