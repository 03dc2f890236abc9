package io.sluice.bench.failover;

import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.Progress;
import io.sluice.bench.report.ReportFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** {@code bench failover}: how long clients notice that a part of the pool failed. */
@Command(
    name = "failover",
    sortOptions = false,
    description =
        "Kill, freeze and restart each part of a pool in mid-stream, again and again, and"
            + " measure how long streams pause and new requests wait. Exits with 1 if a request"
            + " failed or got another text than an undisturbed engine gives.")
public final class FailoverCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each failure is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 5;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams that run at each failure (default: ${DEFAULT-VALUE}).")
  private int streams = 16;

  @Option(
      names = "--only",
      paramLabel = "TEXT",
      split = ",",
      description =
          "Only failures whose names contain one of these, e.g. \"kill -9 worker,freeze\","
              + " and the baseline.")
  private List<String> only = List.of();

  @Mixin private ReportFiles files = new ReportFiles();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder for the logs of all processes. Default: a temporary folder, which is kept if a"
              + " request failed.")
  private Optional<Path> folder = Optional.empty();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1 || streams < 1) {
      throw new ParameterException(
          spec.commandLine(), "--rounds and --streams must be more than 0");
    }
    List<Failure> failures = failures();
    Path place =
        folder.isPresent()
            ? Files.createDirectories(folder.get()).toAbsolutePath()
            : Files.createTempDirectory("sluice-failover-");
    PrintWriter out = spec.commandLine().getOut();
    out.println("logs of all processes: " + place);
    FailoverReport report = FailoverReport.of(turns(failures, place, new Progress(out)));
    out.println();
    out.print(report.text());
    report.problems().forEach(problem -> out.println("FAILED: " + problem));
    out.printf("%n%d rounds of %d streams%n", rounds, streams);
    files.write(report.report());
    boolean isRight = report.problems().findAny().isEmpty();
    if (isRight && folder.isEmpty()) {
      Utils.delete(place.toFile());
    }
    return isRight ? 0 : 1;
  }

  private List<Failure> failures() {
    try {
      return Failure.containing(only);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--only: " + e.getMessage(), e);
    }
  }

  private List<Turn> turns(List<Failure> failures, Path place, Progress progress)
      throws IOException, InterruptedException {
    String model = FailoverPool.model();
    progress.accept("starting %s".formatted(FailoverPool.SETUP));
    try (var pool = new FailoverPool(place);
        var gateways = new Gateways(pool.gateways());
        var clients = new Clients(gateways, model);
        var reference = QuickEngine.start(model, FailoverPool.SETUP.engines().maxModelLen())) {
      pool.start();
      try (var placement = new Placement(pool.kafka())) {
        var texts = new Texts(reference.uri());
        return new FailoverRun(pool, clients, placement, texts, streams, progress)
            .turns(failures, rounds);
      }
    }
  }
}
