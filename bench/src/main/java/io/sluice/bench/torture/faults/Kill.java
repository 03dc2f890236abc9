package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Kills processes with SIGKILL at the same time, and starts them again when the fault ends. */
record Kill(List<Target> targets, Duration duration) implements Fault {
  @Override
  public String label() {
    return "kill -9 " + Fault.roles(targets);
  }

  @Override
  public void inject(FaultContext context) throws IOException, InterruptedException {
    for (Target target : targets) {
      context.pool().kill(target);
    }
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    for (Target target : targets) {
      context.pool().startAgain(target);
    }
  }
}
