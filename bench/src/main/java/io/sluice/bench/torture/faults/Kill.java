package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** {@code kill -9} of all at once, and a new start a while later. */
record Kill(List<Target> targets, Duration lasting) implements Blow {
  @Override
  public String label() {
    return "kill -9 " + Blow.roles(targets);
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException {
    for (Target target : targets) {
      arena.pool().kill(target);
    }
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    for (Target target : targets) {
      arena.pool().startAgain(target);
    }
  }
}
