package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What the simulator's fault controls offer for requests. */
record EngineFault(Target target, String fault, Duration lasting) implements Blow {
  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "engine fault " + fault.split("[=@]", 2)[0];
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException {
    arena.pool().control(target, "PUT", "/faults", "{\"faults\":[\"" + fault + "\"]}");
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.pool().control(target, "DELETE", "/faults", "");
  }
}
