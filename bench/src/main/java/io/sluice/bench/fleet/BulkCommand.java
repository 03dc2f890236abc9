package io.sluice.bench.fleet;

import io.sluice.bench.fleet.run.StepLimits;
import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.simulator.engine.EngineConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs interactive requests alone and together with a saturating bulk job, in virtual time. */
@Command(
    name = "bulk",
    description =
        "Run interactive requests with and without a saturating bulk job, in virtual time.")
public final class BulkCommand implements Callable<Integer> {
  private static final Duration PERIOD = Duration.ofSeconds(90);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 10.")
  private int seeds = 10;

  @Option(names = "--engines", paramLabel = "N", description = "Number of engines. Default: 4.")
  private int engines = 4;

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      description = "Profile of the engines. Default: h100.")
  private String profile = "h100";

  @Option(
      names = "--rate",
      split = ",",
      paramLabel = "X",
      description = "Interactive requests per second and engine. Default: 2,5.")
  private List<Double> rates = List.of(2.0, 5.0);

  @Option(
      names = "--bulk",
      paramLabel = "N",
      description = "Bulk requests per engine. Default: 2000, which take longer than the others.")
  private int bulkPerEngine = 2_000;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Minutes of measured traffic. Default: 2.")
  private double minutes = 2;

  @Option(
      names = "--bursts",
      split = ",",
      arity = "1",
      paramLabel = "X,Y",
      description =
          "Instead of a steady rate: interactive requests per second of all engines together in"
              + " bursts of 45 s, and in the 45 s between them; with jobs of several deadlines.")
  private List<Double> bursts = List.of();

  @Mixin private StepLimits stepLimits = new StepLimits();

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1 || engines < 1 || bulkPerEngine < 1 || minutes <= 0) {
      throw new ParameterException(
          spec.commandLine(), "--seeds, --engines, --bulk and --minutes must be more than 0");
    }
    if (!bursts.isEmpty() && (bursts.size() != 2 || bursts.stream().anyMatch(rate -> rate <= 0))) {
      throw new ParameterException(
          spec.commandLine(), "--bursts needs two rates that are more than 0, such as 15,1");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%d x %s, 8B; prompts of about %d tokens, bulk %d; answers of about %d, bulk %d; %d seeds,"
            + " %.1f min%n",
        engines,
        profile,
        BulkWork.PROMPT_TOKENS,
        BulkWork.BULK_PROMPT_TOKENS,
        BulkWork.OUTPUT_TOKENS,
        BulkWork.BULK_OUTPUT_TOKENS,
        seeds,
        minutes);
    Duration measured = Duration.ofMillis(Math.round(minutes * 60_000));
    EngineConfig engine = stepLimits.of(TraceEngine.named(profile, spec.commandLine()));
    var report = new Report();
    if (bursts.isEmpty()) {
      for (double rate : rates) {
        var work = new BulkWork(engine, engines, rate, bulkPerEngine, measured);
        var its = new BulkReport(work, seeds);
        String condition =
            String.format(Locale.ROOT, "%.1f interactive requests/s per engine", rate);
        out.printf("%n%s%n%s", condition, its.table());
        out.flush();
        its.addTo(report.group(condition));
      }
    } else {
      var pattern = new BurstWork.Bursts(bursts.getFirst(), bursts.getLast(), PERIOD);
      var work = new BurstWork(engine, engines, pattern, bulkPerEngine, measured);
      var its = new BurstReport(work, seeds);
      out.print(its.table());
      out.flush();
      its.addTo(report.group(""));
    }
    files.write(report);
    return 0;
  }
}
