package io.sluice.simulator.command;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fit.Comparison;
import io.sluice.simulator.fit.EngineFacts;
import io.sluice.simulator.fit.Load;
import io.sluice.simulator.fit.MeasuredEngine;
import io.sluice.simulator.fit.ProfileFile;
import io.sluice.simulator.fit.ProfileFit;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code simulator fit}: creates a profile of a real engine and compares the engine with it. */
@Command(
    name = "fit",
    description = {
      "Measure a real engine and write a profile for 'simulator --profile FILE'. Then send the same",
      "requests to both and print a comparison. The engine must be otherwise idle."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class FitCommand implements Callable<Integer> {

  /** The load of the comparison if no rate is given, as a share of the engine's capacity. */
  private static final double USUAL_LOAD = 0.6;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--engine",
      required = true,
      paramLabel = "URL",
      description = "The address of the engine, such as http://127.0.0.1:8000.")
  private URI engine;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The file for the profile.")
  private @Nullable Path output;

  @Option(
      names = "--against",
      paramLabel = "FILE",
      description = "Only compare the engine with this profile, without measuring.")
  private @Nullable Path against;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model to measure (default: the first one in the engine's list).")
  private @Nullable String model;

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      description = "The API key of the engine (default: none).")
  private @Nullable String apiKey;

  @Option(
      names = "--max-num-seqs",
      description =
          "The value that the engine was started with, which it does not report (default: 256).")
  private int maxNumSeqs = 256;

  @Option(
      names = "--max-num-batched-tokens",
      description =
          "The value that the engine was started with, which it does not report (default: 2048).")
  private int maxNumBatchedTokens = 2048;

  @Option(names = "--rounds", description = "How often everything is measured (default: 5).")
  private int rounds = 5;

  @Option(
      names = "--max-batch",
      description = "The largest number of concurrent streams (default: 64).")
  private int largestBatch = 64;

  @Option(
      names = "--requests",
      description = "The number of requests in the comparison; 0 to skip it (default: 150).")
  private int requests = 150;

  @Option(
      names = "--rate",
      paramLabel = "PER_SECOND",
      description =
          "The requests per second in the comparison (default: 60 %% of the profile's capacity).")
  private @Nullable Double rate;

  @Option(names = "--seed", description = "The seed of the comparison's requests (default: 0).")
  private long seed;

  /** Called by picocli. */
  public FitCommand() {}

  @Override
  public Integer call() throws IOException {
    check();
    // Engines close connections after 5 s without requests; a client must not use one at that
    // moment.
    System.setProperty("jdk.httpclient.keepalive.timeout", "2");
    try (MeasuredEngine real =
        MeasuredEngine.at(engine, Optional.ofNullable(model), Optional.ofNullable(apiKey))) {
      EngineFacts facts = EngineFacts.of(real, maxNumSeqs, maxNumBatchedTokens);
      out()
          .printf(
              "%s: model %s, vLLM %s, %s%n",
              engine, real.model(), real.version(), facts.describe());
      GpuProfile profile = against == null ? measured(real, facts) : ProfileFile.read(against);
      if (requests > 0) {
        compare(real, facts, profile);
      }
      return ExitCode.OK;
    }
  }

  private void check() {
    if ((output == null) == (against == null)) {
      throw wrong("Use either -o FILE to measure, or --against FILE to compare only.");
    }
    if (rounds < 1 || largestBatch < 1 || requests < 0 || maxNumSeqs < 1) {
      throw wrong(
          "--rounds, --max-batch and --max-num-seqs must be at least 1, --requests at least 0.");
    }
    if (maxNumBatchedTokens < 1 || (rate != null && !(rate > 0))) {
      throw wrong("--max-num-batched-tokens must be at least 1, and --rate greater than 0.");
    }
    Path directory = output == null ? null : output.toAbsolutePath().getParent();
    if (directory != null && !Files.isDirectory(directory)) {
      throw wrong("The directory of " + output + " does not exist.");
    }
  }

  private GpuProfile measured(MeasuredEngine real, EngineFacts facts) {
    Path file = Objects.requireNonNull(output);
    ProfileFit fit =
        ProfileFit.of(real, facts, ProfileFile.name(file), rounds, largestBatch, out());
    print(fit);
    Map<String, String> origin = new LinkedHashMap<>();
    origin.put("engine", "vLLM " + real.version());
    origin.put("model", real.model());
    origin.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    ProfileFile.write(file, fit.profile(), origin);
    out().println("Wrote " + file + ". Use it with ./sluice simulator --profile " + file);
    // Compares with the written profile.
    return ProfileFile.read(file);
  }

  private void print(ProfileFit fitted) {
    out()
        .printf(
            Locale.ROOT,
            "%smedian error: %.0f %%%n",
            FitTables.of(fitted),
            100 * fitted.fit().medianError(fitted.samples()));
    if (fitted.isNoisy()) {
      out()
          .println(
              "The times vary more than those of an undisturbed engine: measure again while the engine and the machine are otherwise idle.");
    }
    out().flush();
  }

  private void compare(MeasuredEngine real, EngineFacts facts, GpuProfile profile)
      throws IOException {
    SimulatorConfig config =
        SimulatorConfig.of(profile)
            .withModels(List.of(real.model()))
            .withPrefixCaching(facts.prefixCaching());
    int context = Math.min(real.maxModelLen(), config.maxModelLen());
    double perSecond =
        rate != null
            ? rate
            : USUAL_LOAD * Load.of(seed, requests, 1, context).capacity(config.engine());
    out()
        .printf(
            Locale.ROOT,
            "%d requests, %.2f per second, to the engine and then to the simulator%n",
            requests,
            perSecond);
    out().flush();
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        MeasuredEngine simulated =
            MeasuredEngine.at(engine.uri(), Optional.of(real.model()), Optional.empty())) {
      Load load = Load.of(seed, requests, perSecond, context);
      out().print(FitTables.of(Comparison.of(real, simulated, load)));
      out().flush();
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
