package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Applies a fault of the simulator's fault controls to the requests of an engine. */
public record EngineFault(Target target, String fault, Duration duration) implements Fault {
  /** The engine takes requests and says nothing more. */
  static final String HANG = "hang-before-first-token";

  /** Returns whether this was the fault of an engine that says nothing before its first token. */
  public static boolean isHang(InjectedFault fault) {
    return fault.label().equals(label(HANG));
  }

  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return label(fault);
  }

  private static String label(String fault) {
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
