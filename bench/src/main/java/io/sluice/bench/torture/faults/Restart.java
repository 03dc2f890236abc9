package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Stops a process with SIGTERM and starts it again when it has ended. */
record Restart(Target target) implements Fault {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "restart " + Fault.roles(targets());
  }

  @Override
  public Duration duration() {
    return Duration.ZERO;
  }

  @Override
  public void inject(FaultContext context)
      throws IOException, InterruptedException, TimeoutException {
    // Open streams may keep an engine from stopping.
    boolean mayHang = target.role() == Target.Role.ENGINE;
    if (!context.pool().terminate(target) && !mayHang) {
      throw new TimeoutException(target.id() + " did not stop within 45 s of SIGTERM");
    }
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.pool().startAgain(target);
  }
}
