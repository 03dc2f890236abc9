package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.LinkState;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Cuts or stalls the connections from a process to all processes of a role. */
record Partition(Target target, Target.Role from, LinkState how, Duration duration)
    implements Fault {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "%s %s from %s"
        .formatted(
            how == LinkState.CUT ? "cut" : "stall",
            Fault.roles(targets()),
            from.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void inject(FaultContext context) {
    context.pool().wiring().set(target, from, how);
  }

  @Override
  public void recover(FaultContext context) {
    context.pool().wiring().set(target, from, LinkState.OPEN);
  }
}
