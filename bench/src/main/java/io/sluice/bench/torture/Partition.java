package io.sluice.bench.torture;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Nothing gets through between a process and others. */
record Partition(Target target, Target.Role from, TcpLink.State how, Duration lasting)
    implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "%s %s from %s"
        .formatted(
            how == TcpLink.State.CUT ? "cut" : "stall",
            Blow.roles(targets()),
            from.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void deal(Arena arena) {
    arena.pool().wiring().links(target, from).forEach(link -> link.set(how));
  }

  @Override
  public void recover(Arena arena) {
    arena.pool().wiring().links(target, from).forEach(link -> link.set(TcpLink.State.OPEN));
  }
}
