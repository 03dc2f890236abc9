package io.sluice.bench.overload;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.Progress;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.ServicePool.Engines;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench overload}: what callers of a gateway see under several times its pool's load. */
@Command(
    name = "overload",
    sortOptions = false,
    description =
        "Send a gateway several times the load that its pool can answer. Exits with 1 if the pool"
            + " answers less than it could, if a refusal does not say when to try again, or if"
            + " answers are not quick again 5 s after the load.")
public final class OverloadCommand implements Callable<Integer> {
  /** Few, so that several times what they can do is not much for one machine. */
  private static final String PROFILE = "rtx4090";

  private static final int PLACES = 8;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--factor",
      paramLabel = "N",
      description = "The load, in times of the capacity (default: ${DEFAULT-VALUE}).")
  private double factor = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long the load lasts (default: ${DEFAULT-VALUE}).")
  private int seconds = 30;

  @Option(
      names = "--max-wait",
      paramLabel = "S",
      description = "The router's --max-wait (default: ${DEFAULT-VALUE}).")
  private int maxWait = 4;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    var progress = new Progress(out);
    try (var pool =
        new ServicePool(
            "overload",
            Engines.two(PROFILE, PLACES),
            Map.of("router", List.of("--max-wait=" + maxWait)))) {
      progress.accept("starting a pool");
      pool.start();
      try (var gateways = new Gateways(List.of(pool.gateway()))) {
        var run = new OverloadRun(gateways, pool.places(), progress);
        OverloadReport report = run.run(factor, Duration.ofSeconds(seconds));
        out.println();
        out.print(report.text());
        report.problems().forEach(problem -> out.println("FAILED: " + problem));
        files.write(report.figures());
        return report.problems().isEmpty() ? 0 : 1;
      }
    }
  }
}
