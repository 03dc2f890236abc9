package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Stops a process with SIGSTOP and continues it with SIGCONT when the fault ends.
 *
 * @param outlivesSession whether it resumes only after its session is over and another process has
 *     taken its part over
 */
record Freeze(Target target, Duration duration, boolean outlivesSession) implements Fault {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return (outlivesSession ? "zombie " : "freeze ") + Fault.roles(targets());
  }

  @Override
  public void inject(FaultContext context) throws IOException, InterruptedException {
    context.pool().freeze(target);
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.pool().thaw(target);
  }
}
