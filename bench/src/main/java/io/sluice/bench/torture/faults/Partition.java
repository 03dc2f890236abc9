package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.LinkState;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Nothing gets through between a process and others. */
record Partition(Target target, Target.Role from, LinkState how, Duration lasting) implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "%s %s from %s"
        .formatted(
            how == LinkState.CUT ? "cut" : "stall",
            Blow.roles(targets()),
            from.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void deal(Arena arena) {
    arena.pool().wiring().set(target, from, how);
  }

  @Override
  public void recover(Arena arena) {
    arena.pool().wiring().set(target, from, LinkState.OPEN);
  }
}
