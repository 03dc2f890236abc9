package io.sluice.bench.soak;

import io.sluice.bench.process.Progress;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.ServicePool.Engines;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench soak}: whether a pool's processes grow under a steady load. */
@Command(
    name = "soak",
    sortOptions = false,
    description =
        "Load a pool of separate processes evenly, and watch their memory, threads, descriptors"
            + " and processor time. Exits with 1 if a process grows by more than 1 MiB or half a"
            + " thread a minute, if a service's descriptors grow by half a one, or if a request is"
            + " not answered.")
public final class SoakCommand implements Callable<Integer> {
  private static final String PROFILE = "rtx4090";
  private static final int PLACES = 64;
  private static final long MILLIS_PER_MINUTE = 60_000;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long the load lasts (default: ${DEFAULT-VALUE}).")
  private double minutes = 60;

  @Option(
      names = "--settle",
      paramLabel = "M",
      description = "For how long the processes may grow at first (default: ${DEFAULT-VALUE}).")
  private double settle = 10;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Requests per second (default: ${DEFAULT-VALUE}).")
  private double rate = 20;

  @Option(
      names = "--retention",
      paramLabel = "M",
      description =
          "For how long the pool's topics keep records, in minutes, so that the run sees them go and"
              + " also fails if Kafka's data grow by more than 1 MiB a minute. Shorter than --settle"
              + " (default: as the pool creates them).")
  private Optional<Double> retention = Optional.empty();

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (retention.filter(those -> those >= settle).isPresent()) {
      throw new ParameterException(
          spec.commandLine(), "--retention must be shorter than --settle: " + retention.get());
    }
    PrintWriter out = spec.commandLine().getOut();
    var progress = new Progress(out);
    try (var pool = new ServicePool("soak", Engines.two(PROFILE, PLACES), Map.of())) {
      progress.accept("starting a pool");
      pool.start();
      progress.accept("%.0f requests per second for %.1f min".formatted(rate, minutes));
      SoakReport report =
          new SoakRun(pool, retention.map(SoakCommand::duration), progress)
              .run(rate, duration(minutes), duration(settle));
      out.println();
      out.print(report.text());
      report.problems().forEach(problem -> out.println("FAILED: " + problem));
      files.write(report.figures());
      return report.problems().isEmpty() ? 0 : 1;
    }
  }

  private static Duration duration(double minutes) {
    return Duration.ofMillis(Math.round(minutes * MILLIS_PER_MINUTE));
  }
}
