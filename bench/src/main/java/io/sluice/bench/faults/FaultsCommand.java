package io.sluice.bench.faults;

import io.sluice.bench.process.EngineKind;
import io.sluice.bench.process.EngineOptions;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares how the simulator and a real engine fail. */
@Command(
    name = "faults",
    description =
        "Terminate, kill and freeze a real engine in mid-answer, and the simulator in the same"
            + " way, send both too many requests and a client that does not read, and compare"
            + " what their clients see. Exits with 1 if the simulator shows what the engine never"
            + " does, or shows it more than 1 s and a factor of 2 sooner or later.")
public final class FaultsCommand implements Callable<Integer> {
  /** The context of simulated engines, which only has to be long enough for the answers. */
  private static final int CONTEXT = 2_048;

  private static final List<String> SMALL_CACHE =
      List.of("--max-model-len=" + CONTEXT, "--kv-blocks=64", "--block-size=128");

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--engine-command",
      paramLabel = "COMMAND",
      required = true,
      description =
          "Shell command that runs the engine in the foreground; {port} stands for its port. It"
              + " is started again for each trial.")
  private String command = "";

  @Option(
      names = "--engine-model",
      paramLabel = "NAME",
      description = "The model that the engine serves. Default: tiny.")
  private String model = "tiny";

  @Option(
      names = "--times",
      paramLabel = "N",
      description = "How often each fault is injected into each engine. Default: 3.")
  private int times = 3;

  @Option(
      names = "--faults",
      paramLabel = "NAME",
      split = ",",
      description = "Only these faults: ${COMPLETION-CANDIDATES}.")
  private List<Fault> faults = List.of(Fault.values());

  @Option(
      names = "--simulator-options",
      paramLabel = "OPTION",
      split = " ",
      description = "Additional options of the simulator, such as --engine-version=0.30.0.")
  private List<String> simulatorOptions = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (times < 1) {
      throw new ParameterException(spec.commandLine(), "--times must be more than 0");
    }
    Path folder = Files.createTempDirectory("sluice-faults-");
    int wrong = 0;
    EngineKind engines = EngineKind.of(EngineOptions.commandOf(command, spec), model, CONTEXT);
    EngineKind simulators = EngineKind.simulated().serving(model);
    List<String> options = withSmallCache(simulatorOptions);
    try (var real = new Subject(engines, "engine", List.of(), folder);
        var simulated = new Subject(simulators, "simulator", options, folder)) {
      for (Fault fault : faults) {
        try {
          Sightings expected = seen(real, fault);
          wrong += print(fault, expected, seen(simulated, fault));
        } catch (KvCapacity.UnfitException e) {
          spec.commandLine()
              .getOut()
              .printf("%n%s%n  skipped: %s%n", fault.label(), e.getMessage());
        }
      }
    }
    Utils.delete(folder.toFile());
    return wrong == 0 ? 0 : 1;
  }

  /** Adds a cache that can be filled, except where the options say otherwise. */
  private static List<String> withSmallCache(List<String> options) {
    List<String> all = new ArrayList<>(options);
    SMALL_CACHE.stream()
        .filter(one -> options.stream().noneMatch(given -> name(given).equals(name(one))))
        .forEach(all::add);
    return all;
  }

  private static String name(String option) {
    return option.split("=", 2)[0];
  }

  private Sightings seen(Subject engine, Fault fault)
      throws IOException, InterruptedException, KvCapacity.UnfitException {
    var sightings = new Sightings();
    for (int time = 0; time < times; time++) {
      if (fault.isLoad()) {
        new LoadTrial(engine, model, sightings).run(fault);
      } else {
        new Trial(engine, model, fault, sightings).run();
      }
    }
    return sightings;
  }

  /** Returns how many aspects differ. */
  private int print(Fault fault, Sightings real, Sightings simulated) {
    TextTable table = new TextTable().left("", "", "");
    int wrong = 0;
    table.line("").line(fault.label());
    for (Aspect aspect : Aspect.values()) {
      if (real.kinds(aspect).isEmpty() && simulated.kinds(aspect).isEmpty()) {
        continue;
      }
      Verdict verdict = Verdict.of(aspect, real, simulated);
      wrong += verdict == Verdict.SAME ? 0 : 1;
      table.row("  " + aspect.label(), verdict.shown(), "engine: " + real.shown(aspect));
      table.row("", "", "simulator: " + simulated.shown(aspect));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(table);
    out.flush();
    return wrong;
  }
}
