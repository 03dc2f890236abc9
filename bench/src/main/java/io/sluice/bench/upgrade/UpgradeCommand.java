package io.sluice.bench.upgrade;

import io.sluice.bench.process.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench upgrade}: a rolling upgrade and a rollback under load. */
@Command(
    name = "upgrade",
    sortOptions = false,
    description =
        "Replace the gateways, workers and routers of a pool under load, one after the other, from"
            + " an old build to a new one and back, over the same data. Exits with 1 if a request"
            + " was lost, failed, or got another text than an undisturbed engine gives.")
public final class UpgradeCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--old",
      required = true,
      paramLabel = "DIR",
      description = "A built checkout of the old version.")
  private Path old = Path.of("");

  @Option(
      names = "--new",
      paramLabel = "DIR",
      description = "A built checkout of the new version (default: this one).")
  private Optional<Path> current = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Streams per second (default: ${DEFAULT-VALUE}).")
  private double rate = 4;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long each step lasts at least (default: ${DEFAULT-VALUE}).")
  private int seconds = 15;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Path folder = Files.createTempDirectory("sluice-upgrade-");
    boolean isRight = false;
    try {
      UpgradeReport report = run().run(folder, new Progress(out));
      isRight = report.problems().isEmpty();
      out.println();
      out.print(report.text());
      report.problems().forEach(problem -> out.println("FAILED: " + problem));
      if (!isRight) {
        out.println("The logs are in " + folder);
      }
      out.flush();
      return isRight ? 0 : 1;
    } finally {
      if (isRight) {
        Utils.delete(folder.toFile());
      }
    }
  }

  private UpgradeRun run() {
    Path here = Path.of(System.getProperty("sluice.home", "."));
    try {
      return new UpgradeRun(
          Build.of("old", old), Build.of("new", current.orElse(here)), rate, seconds);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
