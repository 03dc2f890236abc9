package io.sluice.bench.batch;

import io.sluice.bench.process.EngineOptions;
import io.sluice.bench.process.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Checks that a batch is complete and correct although its engines are killed while it runs. */
@Command(
    name = "batch",
    description =
        "Run an OpenAI Batch file of mixed lines through a pool, kill its engines meanwhile, and"
            + " compare every result with what an undisturbed engine answers. Exits with 1 if any"
            + " is missing, doubled or different.")
public final class BatchCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--lines",
      paramLabel = "N",
      description = "Lines of the batch file. Default: 2000.")
  private int lines = 2_000;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "Number of kills of an engine, spread evenly over the lines. Default: 4.")
  private int kills = 4;

  @Option(names = "--engines", paramLabel = "N", description = "Number of engines. Default: 2.")
  private int engines = 2;

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      description = "Number of lines that are in flight at once. Default: 256.")
  private int maxInFlight = 256;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the lines; equal seeds give equal files. Default: 1.")
  private long seed = 1;

  @Mixin private EngineOptions engineOptions = new EngineOptions();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder for files and logs; it must not exist yet. Default: a temporary folder, which"
              + " is kept if a violation was found.")
  private Optional<Path> folder = Optional.empty();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (lines < 1 || kills < 0 || engines < 1 || maxInFlight < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--lines, --engines and --max-in-flight must be more than 0, and --kills not less");
    }
    var options =
        new BatchRun.Options(engineOptions.kind(spec), engines, lines, kills, maxInFlight, seed);
    Path place = place();
    PrintWriter out = spec.commandLine().getOut();
    Report report = new BatchRun(options, place, new Progress(out)).run();
    report.print(out);
    if (report.isClean() && folder.isEmpty()) {
      Utils.delete(place.toFile());
    } else {
      out.println("input, results and logs are in " + place);
      out.flush();
    }
    return report.isClean() ? 0 : 1;
  }

  /** The batch would resume from results that are already in the folder. */
  private Path place() throws IOException {
    if (folder.isEmpty()) {
      return Files.createTempDirectory("sluice-batch-");
    }
    Path place = folder.get().toAbsolutePath();
    if (Files.exists(place)) {
      throw new ParameterException(
          spec.commandLine(), "--folder " + place + " is there already; name a new one");
    }
    return place;
  }
}
