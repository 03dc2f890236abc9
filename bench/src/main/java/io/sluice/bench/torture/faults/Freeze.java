package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * SIGSTOP, and SIGCONT a while later.
 *
 * @param isLate whether it wakes when the others have given it up and done its part
 */
record Freeze(Target target, Duration lasting, boolean isLate) implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return (isLate ? "late " : "freeze ") + Blow.roles(targets());
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException {
    arena.pool().freeze(target);
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.pool().thaw(target);
  }
}
