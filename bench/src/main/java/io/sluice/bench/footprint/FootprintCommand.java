package io.sluice.bench.footprint;

import io.sluice.bench.footprint.Footprint.Phase;
import io.sluice.bench.footprint.Footprint.Usage;
import io.sluice.bench.process.Progress;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.traffic.ChatLoad;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench footprint}: the memory and the processor time of a pool's processes. */
@Command(
    name = "footprint",
    sortOptions = false,
    description =
        "Measure the memory and the processor time of the processes of a pool when they have"
            + " started, under a load, and idle after it: of ./sluice up, whose ports it needs, and"
            + " of services that are processes of their own.")
public final class FootprintCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "How often each pool is started (default: ${DEFAULT-VALUE}).")
  private int runs = 3;

  @Option(
      names = "--idle",
      paramLabel = "S",
      description = "Seconds without a load that are measured (default: ${DEFAULT-VALUE}).")
  private int idleSeconds = 30;

  @Option(
      names = "--load",
      paramLabel = "S",
      description = "Seconds of the load (default: ${DEFAULT-VALUE}).")
  private int loadSeconds = 30;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Chats per second of the load (default: ${DEFAULT-VALUE}).")
  private double rate = 20;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (runs < 1 || idleSeconds < 1 || loadSeconds < 1 || rate * loadSeconds < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--runs, --idle and --load must be more than 0, and --rate times --load at least 1");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path folder = Files.createTempDirectory("sluice-footprint-");
    out.println("Output of the pools: " + folder);
    var run =
        new FootprintRun(
            folder,
            Duration.ofSeconds(idleSeconds),
            new ChatLoad(rate, Duration.ofSeconds(loadSeconds)),
            new Progress(out));
    Map<String, Footprint> footprints = run.run();
    for (int more = 1; more < runs; more++) {
      footprints = run.run();
    }
    out.println();
    out.print(table(footprints));
    out.flush();
    files.write(report(footprints));
    return 0;
  }

  static TextTable table(Map<String, Footprint> footprints) {
    TextTable table =
        new TextTable()
            .left("")
            .right("started", "", "loaded", "", "idle", "")
            .row("medians of all runs", "MiB", "cores", "peak MiB", "cores", "MiB", "cores");
    footprints.forEach(
        (process, footprint) ->
            table.row(
                process,
                memory(footprint, Phase.STARTED),
                cores(footprint, Phase.STARTED),
                memory(footprint, Phase.LOADED),
                cores(footprint, Phase.LOADED),
                memory(footprint, Phase.IDLE),
                cores(footprint, Phase.IDLE)));
    return table;
  }

  private static String memory(Footprint footprint, Phase phase) {
    return String.format(Locale.ROOT, "%.0f", footprint.in(phase).memory().percentile(50));
  }

  private static String cores(Footprint footprint, Phase phase) {
    return String.format(Locale.ROOT, "%.3f", footprint.in(phase).cores().percentile(50));
  }

  private static Report report(Map<String, Footprint> footprints) {
    var report = new Report();
    for (Phase phase : Phase.values()) {
      Report.Group group = report.group(phase.name().toLowerCase(Locale.ROOT));
      footprints.forEach(
          (process, footprint) -> {
            Usage usage = footprint.in(phase);
            group
                .add("memory, MiB", process, usage.memory().values())
                .add("cores", process, usage.cores().values());
          });
    }
    return report;
  }
}
