package io.sluice.bench.torture.faults;

import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Kills one of a real engine's processes and leaves the others to detect it. */
record EngineKill(Target target, Part part) implements Fault {
  enum Part {
    /** The process that listens for HTTP requests. */
    SERVER("API server"),
    /** The process that computes. */
    CORE("engine core");

    private final String label;

    Part(String label) {
      this.label = label;
    }
  }

  /** Long enough for the other processes to exit or to fail their requests. */
  private static final Duration LEFT_ALONE = Duration.ofSeconds(20);

  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "kill -9 " + part.label;
  }

  @Override
  public Duration duration() {
    return LEFT_ALONE;
  }

  @Override
  public void inject(FaultContext context) throws IOException, InterruptedException {
    switch (part) {
      case SERVER -> context.pool().killLeader(target);
      case CORE -> context.pool().killPart(target, EngineProcess.CORE);
    }
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.pool().kill(target);
    context.pool().startAgain(target);
  }
}
