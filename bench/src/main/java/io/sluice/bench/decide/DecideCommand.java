package io.sluice.bench.decide;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the JMH benchmarks of this package in separate JVMs. */
@Command(
    name = "decide",
    description = "Measure the time and allocation of a routing decision and its parts (JMH).")
public final class DecideCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      defaultValue = ".*Benchmark.*",
      description = "Which benchmarks, as a regular expression (default: all).")
  private String include = ".*Benchmark.*";

  @Option(names = "--quick", description = "One fork and short iterations, for rough figures.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "OUT", description = "Write JMH's results to this file.")
  private Optional<Path> json = Optional.empty();

  @Override
  public Integer call() throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder().include(include).addProfiler(GCProfiler.class).shouldFailOnError(true);
    if (quick) {
      options.forks(1).warmupIterations(2).measurementIterations(3);
    }
    json.ifPresent(path -> options.result(path.toString()).resultFormat(ResultFormatType.JSON));
    if (new Runner(options.build()).run().isEmpty()) {
      throw new IllegalStateException("No benchmark matches '" + include + "'.");
    }
    return 0;
  }
}
