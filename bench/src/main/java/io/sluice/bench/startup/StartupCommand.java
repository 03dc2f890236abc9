package io.sluice.bench.startup;

import io.sluice.bench.process.Progress;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.stat.Samples;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench startup}: how long a user waits for commands of the launcher. */
@Command(
    name = "startup",
    sortOptions = false,
    description =
        "Measure how soon a pool on this machine is ready, and how soon client commands send,"
            + " print and end. Needs the ports of ./sluice up.")
public final class StartupCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--pools",
      paramLabel = "N",
      description = "How often a pool is started (default: ${DEFAULT-VALUE}).")
  private int pools = 5;

  @Option(
      names = "--commands",
      paramLabel = "N",
      description = "How often each client command is started (default: ${DEFAULT-VALUE}).")
  private int commands = 20;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (pools < 1 || commands < 1) {
      throw new ParameterException(
          spec.commandLine(), "--pools and --commands must be more than 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path folder = Files.createTempDirectory("sluice-startup-");
    out.println("Output of the pools: " + folder);
    Map<String, Samples> millis = new StartupRun(folder, new Progress(out)).run(pools, commands);
    out.println();
    out.print(table(millis));
    out.flush();
    var report = new Report();
    millis.forEach((what, took) -> report.group("").add("time, ms", what, took.values()));
    files.write(report);
    return 0;
  }

  private static TextTable table(Map<String, Samples> millis) {
    TextTable table = new TextTable().left("ms").right("runs", "p50", "p90", "longest");
    millis.forEach(
        (what, took) ->
            table.row(
                what,
                took.count(),
                Math.round(took.percentile(50)),
                Math.round(took.percentile(90)),
                Math.round(took.percentile(100))));
    return table;
  }
}
