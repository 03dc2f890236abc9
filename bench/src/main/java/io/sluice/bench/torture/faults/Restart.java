package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** SIGTERM, and a new start when it has ended. */
record Restart(Target target) implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "restart " + Blow.roles(targets());
  }

  @Override
  public Duration lasting() {
    return Duration.ZERO;
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException, TimeoutException {
    // Open streams keep many an engine from it.
    boolean mayHang = target.role() == Target.Role.ENGINE;
    if (!arena.pool().terminate(target) && !mayHang) {
      throw new TimeoutException(target.id() + " did not stop within 45 s of SIGTERM");
    }
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.pool().startAgain(target);
  }
}
