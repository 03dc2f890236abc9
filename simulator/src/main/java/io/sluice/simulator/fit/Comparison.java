package io.sluice.simulator.fit;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** A real engine and a simulated one under the same load. */
public final class Comparison {

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

  /** Prints the comparison as a table. */
  public void print(PrintWriter out) {
    out.printf("%-28s %10s %10s %10s%n", "", "real", "simulated", "difference");
    row(
        out,
        "running, mean",
        Statistics.mean(real.running()),
        Statistics.mean(simulated.running()));
    row(out, "running, p95", p95(real.running()), p95(simulated.running()));
    row(
        out,
        "waiting, mean",
        Statistics.mean(real.waiting()),
        Statistics.mean(simulated.waiting()));
    row(out, "preemptions", real.preemptions(), simulated.preemptions());
    row(out, "prefix hits, %", 100 * real.hitRate(), 100 * simulated.hitRate());
    row(out, "TTFT, median, ms", p50(real.ttftMillis()), p50(simulated.ttftMillis()));
    row(out, "TTFT, p95, ms", p95(real.ttftMillis()), p95(simulated.ttftMillis()));
    row(out, "TPOT, median, ms", p50(real.tpotMillis()), p50(simulated.tpotMillis()));
    row(out, "TPOT, p95, ms", p95(real.tpotMillis()), p95(simulated.tpotMillis()));
    row(out, "output tokens per second", real.tokensPerSecond(), simulated.tokensPerSecond());
    out.flush();
  }

  private static void row(PrintWriter out, String name, double real, double simulated) {
    String difference =
        real == 0
            ? (simulated == 0 ? "0 %" : "-")
            : String.format(Locale.ROOT, "%+.0f %%", 100 * (simulated / real - 1));
    out.printf(Locale.ROOT, "%-28s %10.2f %10.2f %10s%n", name, real, simulated, difference);
  }

  private static double p50(List<Double> values) {
    return Statistics.median(values);
  }

  private static double p95(List<Double> values) {
    return Statistics.quantile(values, 0.95);
  }
}
