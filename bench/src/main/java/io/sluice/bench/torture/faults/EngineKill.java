package io.sluice.bench.torture.faults;

import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** One of a real engine's processes is killed, and the others are left to find out. */
record EngineKill(Target target, Part part) implements Blow {
  enum Part {
    /** The one that listens. */
    SERVER("API server"),
    /** The one that computes. */
    CORE("engine core");

    private final String label;

    Part(String label) {
      this.label = label;
    }
  }

  /** Long enough for those that are left to end, or to fail their requests. */
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
  public Duration lasting() {
    return LEFT_ALONE;
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException {
    switch (part) {
      case SERVER -> arena.pool().killLeader(target);
      case CORE -> arena.pool().killPart(target, EngineProcess.CORE);
    }
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.pool().kill(target);
    arena.pool().startAgain(target);
  }
}
