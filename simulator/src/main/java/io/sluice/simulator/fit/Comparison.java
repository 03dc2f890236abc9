package io.sluice.simulator.fit;

import java.util.List;

/** A real engine and a simulated one under the same load. */
public final class Comparison {
  /** One figure of both engines. */
  public record Figure(String name, double real, double simulated) {}

  private final LoadResult real;
  private final LoadResult simulated;

  private Comparison(LoadResult real, LoadResult simulated) {
    this.real = real;
    this.simulated = simulated;
  }

  /**
   * Sends a load to one engine and then to the other.
   *
   * @throws IllegalStateException if a request fails or does not end in time
   */
  public static Comparison of(MeasuredEngine real, MeasuredEngine simulated, Load load) {
    return new Comparison(LoadRun.of(real, load), LoadRun.of(simulated, load));
  }

  /** Returns what is compared. */
  public List<Figure> figures() {
    return List.of(
        new Figure(
            "running, mean", Statistics.mean(real.running()), Statistics.mean(simulated.running())),
        new Figure("running, p95", p95(real.running()), p95(simulated.running())),
        new Figure(
            "waiting, mean", Statistics.mean(real.waiting()), Statistics.mean(simulated.waiting())),
        new Figure("preemptions", real.preemptions(), simulated.preemptions()),
        new Figure("prefix hits, %", 100 * real.hitRate(), 100 * simulated.hitRate()),
        new Figure("TTFT, median, ms", p50(real.ttftMillis()), p50(simulated.ttftMillis())),
        new Figure("TTFT, p95, ms", p95(real.ttftMillis()), p95(simulated.ttftMillis())),
        new Figure("TPOT, median, ms", p50(real.tpotMillis()), p50(simulated.tpotMillis())),
        new Figure("TPOT, p95, ms", p95(real.tpotMillis()), p95(simulated.tpotMillis())),
        new Figure(
            "output tokens per second", real.tokensPerSecond(), simulated.tokensPerSecond()));
  }

  private static double p50(List<Double> values) {
    return Statistics.median(values);
  }

  private static double p95(List<Double> values) {
    return Statistics.quantile(values, 0.95);
  }
}
