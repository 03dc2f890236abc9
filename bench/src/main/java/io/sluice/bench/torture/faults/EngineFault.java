package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Applies a fault of the simulator's fault controls to the requests of an engine. */
record EngineFault(Target target, String fault, Duration duration) implements Fault {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "engine fault " + fault.split("[=@]", 2)[0];
  }

  @Override
  public void inject(FaultContext context) throws IOException, InterruptedException {
    context.pool().control(target, "PUT", "/faults", "{\"faults\":[\"" + fault + "\"]}");
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.pool().control(target, "DELETE", "/faults", "");
  }
}
