package io.sluice.bench.failover;

import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.Progress;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench failover}: how long clients notice that a part of the pool failed. */
@Command(
    name = "failover",
    sortOptions = false,
    description =
        "Kills, freezes and restarts each part of a pool in mid-stream, again and again, and"
            + " measures how long streams pause and new requests wait. Exits with 1 if a request"
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

  @Option(names = "--json", paramLabel = "OUT", description = "Write the figures to this file.")
  private Optional<Path> json = Optional.empty();

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
    double loadBefore = load();
    PrintWriter out = spec.commandLine().getOut();
    out.println("logs of all processes: " + place);
    FailoverReport report = FailoverReport.of(turns(failures, place, new Progress(out)));
    out.println();
    out.print(report.text());
    report.problems().forEach(problem -> out.println("FAILED: " + problem));
    double loadAfter = load();
    out.printf(
        Locale.ROOT,
        "%n%d rounds of %d streams; %d cores, load average %.1f before and %.1f at the end%n",
        rounds,
        streams,
        cores(),
        loadBefore,
        loadAfter);
    out.flush();
    if (json.isPresent()) {
      Files.write(json.get(), Json.bytes(figures(report, loadBefore, loadAfter)));
    }
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

  private Map<String, Object> figures(FailoverReport report, double before, double after) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("rounds", rounds);
    figures.put("streams", streams);
    figures.put("cores", cores());
    figures.put("load_before", before);
    figures.put("load_after", after);
    figures.put("failures", report.json());
    return figures;
  }

  private static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }
}
