package io.sluice.bench.torture;

import io.sluice.bench.process.EngineOptions;
import io.sluice.bench.process.Progress;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.torture.pool.ClockSkewing;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Checks that every request ends exactly once while processes are killed, frozen and cut off. */
@Command(
    name = "torture",
    description =
        "Inject faults into a real pool under load: kill, freeze and disconnect its processes."
            + " Check every answer. Exits with 1 if a promise was broken.")
public final class TortureCommand implements Callable<Integer> {
  private static final int STANDARD_WORKERS = PoolSetup.STANDARD.workers();
  private static final int FEW_WORKERS = 2;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long requests are sent and faults are injected. Default: 2.")
  private double minutes = 2;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "Seed of the planned requests and faults; equal seeds give equal plans. Default: 1.")
  private long seed = 1;

  @Option(names = "--rate", paramLabel = "N", description = "Requests per second. Default: 2.")
  private double rate = 2;

  @Option(
      names = "--fault-every",
      paramLabel = "SECONDS",
      description = "Mean time between two faults. Default: 6.")
  private double faultEverySeconds = 6;

  @Option(
      names = "--faults",
      paramLabel = "TEXT",
      split = ",",
      description = "Only faults whose names contain one of these, e.g. \"kill -9,engine die\".")
  private List<String> faults = List.of();

  @Option(
      names = "--workers",
      paramLabel = "N",
      description =
          "Number of workers, each with its own engine. Default: 4, or 2 with real engines.")
  private Optional<Integer> workers = Optional.empty();

  @Option(
      names = "--gateways",
      paramLabel = "N",
      description =
          "Number of gateways, which get further requests over HTTP; 0 for none. Default: 2.")
  private int gateways = 2;

  @Mixin private EngineOptions engineOptions = new EngineOptions();

  @Mixin private ReportFiles files = new ReportFiles();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder for logs and records. Default: a temporary folder, which is kept if a"
              + " violation was found.")
  private Optional<Path> folder = Optional.empty();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (minutes <= 0
        || rate <= 0
        || faultEverySeconds <= 0
        || workers.orElse(1) < 1
        || gateways < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--minutes, --rate, --fault-every and --workers must be more than 0, --gateways not less");
    }
    var options =
        new TortureRun.Options(
            setup(),
            seed,
            seconds(minutes * 60),
            rate,
            seconds(faultEverySeconds),
            faults,
            ClockSkewing.here());
    PrintWriter out = spec.commandLine().getOut();
    Path place = folder.isPresent() ? folder.get().toAbsolutePath() : TortureRun.newFolder();
    TortureReport report = planned(options, place, out).run();
    report.print(out);
    files.write(report.figures());
    boolean isClean = report.violations().isEmpty();
    if (isClean && folder.isEmpty()) {
      Utils.delete(place.toFile());
    } else {
      out.println("logs of all processes are in " + place);
      out.flush();
    }
    return isClean ? 0 : 1;
  }

  private PoolSetup setup() {
    Engines engines = Engines.of(engineOptions.kind(spec));
    return PoolSetup.over(
            engines, workers.orElse(engines.areSimulated() ? STANDARD_WORKERS : FEW_WORKERS))
        .withGateways(gateways);
  }

  private TortureRun planned(TortureRun.Options options, Path place, PrintWriter out) {
    try {
      return new TortureRun(options, place, new Progress(out));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--faults: " + e.getMessage(), e);
    }
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis((long) (seconds * 1_000));
  }
}
