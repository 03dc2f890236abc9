package io.sluice.bench.traffic;

import io.sluice.bench.traffic.ServicePool.Engines;
import picocli.CommandLine.Option;

/** What the simulated engines of a {@link ServicePool} are like. */
public final class SimulatedEngineOptions {
  @Option(
      names = "--profile",
      paramLabel = "GPU",
      description = "What the engines of the started pool simulate (default: ${DEFAULT-VALUE}).")
  private String profile = "rtx4090";

  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      description = "Requests that each of them computes at once (default: ${DEFAULT-VALUE}).")
  private int places = 32;

  /** Returns whether the values make sense. */
  public boolean isValid() {
    return places > 0;
  }

  /** Returns the given number of these engines. */
  public Engines engines(int count) {
    return Engines.of(profile, count, places);
  }
}
