package io.sluice.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of measurements that write what they found. Not thread-safe. */
public final class ReportFiles {
  private final double loadBefore = MachineFacts.load();
  private Optional<Path> json = Optional.empty();
  private Optional<Path> svg = Optional.empty();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "OUT",
      description = "Write the figures of all runs, and the machine, to this file.")
  void json(Path file) {
    json = Optional.of(writable("--json", file));
  }

  @Option(
      names = "--svg",
      paramLabel = "OUT",
      description = "Write a chart of the medians, with the spread of the runs, to this file.")
  void svg(Path file) {
    svg = Optional.of(writable("--svg", file));
  }

  /** A measurement may take an hour: that its file cannot be written is told before. */
  private Path writable(String option, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder)) {
      throw new ParameterException(
          spec.commandLine(), option + ": " + file + " is not a file in a folder that is writable");
    }
    return file;
  }

  /** Prints the machine, and writes the files that were asked for. */
  public void write(Report report) throws IOException {
    MachineFacts machine = MachineFacts.now(loadBefore);
    PrintWriter out = spec.commandLine().getOut();
    out.println();
    out.println(machine.text());
    out.flush();
    CommandSpec root = spec.root();
    String command =
        root.qualifiedName()
            + " "
            + String.join(" ", root.commandLine().getParseResult().originalArgs());
    if (json.isPresent()) {
      ReportJson.write(json.get(), command, report, machine);
    }
    if (svg.isPresent()) {
      Files.writeString(
          svg.get(), SvgChart.of(spec.qualifiedName(), command, report, machine.text()));
    }
  }
}
