package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The wall clock of one process steps, and steps back a while later.
 *
 * @param offset how far it is ahead; negative if behind
 */
record ClockSkew(Target target, Duration offset, Duration lasting) implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "skew " + Blow.roles(targets());
  }

  @Override
  public void deal(Arena arena) throws IOException {
    arena.pool().skewClock(target, offset);
  }

  @Override
  public void recover(Arena arena) throws IOException {
    arena.pool().skewClock(target, Duration.ZERO);
  }
}
