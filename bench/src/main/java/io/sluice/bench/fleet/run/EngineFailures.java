package io.sluice.bench.fleet.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Engines that fail during a run: each of them once, at a random time of the measured period. Equal
 * seeds give equal failures to all contestants.
 *
 * @param count how many engines of a fleet fail
 * @param restartAfter the time from a failure until the engine takes requests again, with an empty
 *     cache
 */
public record EngineFailures(int count, Kind kind, Duration restartAfter) {
  /** No engine fails. */
  public static final EngineFailures NONE =
      new EngineFailures(0, Kind.ENGINE, Duration.ofSeconds(60));

  private static final long SALT = 0xfa11;

  /** What fails. */
  public enum Kind {
    /** The engine's process: connections to it are reset and refused. */
    ENGINE,
    /** The machine, with all its processes: nothing comes back any more. */
    MACHINE
  }

  /** The failure of one engine. */
  public record Failure(int engine, long atNanos) {}

  /** Returns whether any engine fails. */
  public boolean areAny() {
    return count > 0;
  }

  /**
   * Returns which engines fail when, in the order of time.
   *
   * @param engines of the fleet, at least as many as fail
   */
  public List<Failure> schedule(int engines, Workload.Length length, long seed) {
    Random random = new Random(Mix.of(seed, SALT));
    List<Integer> order = new ArrayList<>();
    for (int engine = 0; engine < engines; engine++) {
      order.add(engine);
    }
    Collections.shuffle(order, random);
    long[] times =
        random.longs(count, length.warmUpNanos(), length.totalNanos()).sorted().toArray();
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      failures.add(new Failure(order.get(i), times[i]));
    }
    return failures;
  }

  /** Lets engines of a run fail and return. Call this before the run. */
  public void plan(FleetRun run, Workload.Length length, long seed) {
    for (Failure failure : schedule(run.engines().size(), length, seed)) {
      EngineNode engine = run.engines().get(failure.engine());
      run.time().at(failure.atNanos(), () -> engine.fail(kind));
      run.time().at(failure.atNanos() + restartAfter.toNanos(), engine::comeBack);
    }
  }
}
