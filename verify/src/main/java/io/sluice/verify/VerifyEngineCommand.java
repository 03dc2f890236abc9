package io.sluice.verify;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.verify.conformance.Conformance;
import io.sluice.verify.conformance.Rule;
import io.sluice.verify.http.Engine;
import io.sluice.verify.transcript.Transcripts;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verify-engine}: checks an engine against the assumptions of Sluice and its simulator. */
@Command(
    name = "verify-engine",
    description = {
      "Check an engine against the rules of the engine contract, and compare the form of its answers to",
      "about 640 requests with those of the simulator or of another engine.",
      "",
      "Ends with 1 if a rule is broken, a difference is new (neither alike nor decided), or the pool fails."
    })
public final class VerifyEngineCommand implements Callable<Integer> {

  private static final String VERIFY_POOL = "verify-pool";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "The address of the engine, such as http://127.0.0.1:8000.")
  private URI url;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model to use (default: the first one in the engine's list).")
  private @Nullable String model;

  @Option(
      names = "--against",
      paramLabel = "URL",
      description = "Compare with this engine (default: a simulator with the same configuration).")
  private @Nullable URI against;

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      description = "The API key of the engine (default: none).")
  private @Nullable String apiKey;

  @Option(
      names = "--rules-only",
      description = "Skip the comparison of answers, for engines other than vLLM.")
  private boolean rulesOnly;

  @Option(
      names = "--rules",
      paramLabel = "TEXT",
      description = "Check only the rules whose names contain this text.")
  private String rules = "";

  @Option(
      names = "--requests",
      paramLabel = "TEXT",
      description = "Compare only the answers to requests whose names contain this text.")
  private String requests = "";

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "Write the form of the engine's answers to this file.")
  private @Nullable Path record;

  @Option(names = "--pool", description = "Then check a pool over the engine, as verify-pool does.")
  private boolean pool;

  /** Made by picocli. */
  public VerifyEngineCommand() {}

  @Override
  public Integer call() throws IOException {
    Optional<CommandLine> launcher = pool ? Optional.of(launcher()) : Optional.empty();
    int ofEngine = examine();
    return launcher.map(commands -> Math.max(ofEngine, verifyPool(commands))).orElse(ofEngine);
  }

  /** Returns where the command verify-pool is: this module knows engines only, and no pool. */
  private CommandLine launcher() {
    CommandLine launcher = spec.commandLine().getParent();
    if (launcher == null || !launcher.getSubcommands().containsKey(VERIFY_POOL)) {
      throw new ParameterException(
          spec.commandLine(), "--pool needs the command verify-pool; run ./sluice verify-engine");
    }
    return launcher;
  }

  private int verifyPool(CommandLine launcher) {
    List<String> arguments = new ArrayList<>(List.of(VERIFY_POOL, "--url", url.toString()));
    if (model != null) {
      arguments.addAll(List.of("--model", model));
    }
    if (apiKey != null) {
      arguments.addAll(List.of("--engine-api-key", apiKey));
    }
    // By the launcher: a command that inherits its options cannot be run by itself.
    return launcher.execute(arguments.toArray(String[]::new));
  }

  private int examine() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<Rule> chosen = Conformance.rules(rules);
    if (chosen.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "no rule has a name that contains '" + rules + "'");
    }
    Optional<String> key = Optional.ofNullable(apiKey);
    try (Engine engine = Engine.at(url, Optional.ofNullable(model), key)) {
      out.printf("%s: model %s, version %s%n", url, engine.model(), engine.version());
      Conformance.Summary verdicts = Conformance.examine(engine, chosen, out);
      if (rulesOnly) {
        out.println(verdicts);
        return verdicts.broken() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
      }
      Transcripts.Summary transcripts;
      if (against != null) {
        try (Engine other = Engine.at(against, Optional.empty(), key)) {
          transcripts = compare(engine, other, out);
        }
      } else {
        try (SimulatedEngine simulator = MatchingSimulator.of(engine);
            Engine other =
                Engine.at(simulator.uri(), Optional.of(engine.model()), Optional.empty())) {
          transcripts = compare(engine, other, out);
        }
      }
      out.println(verdicts);
      out.println(transcripts);
      if (requests.isEmpty() && transcripts.unexpected() > transcripts.requests() / 2) {
        out.println(
            "This engine does not seem to be vLLM. Use --rules-only to skip the comparison.");
      }
      return verdicts.broken() == 0 && transcripts.unexpected() == 0
          ? ExitCode.OK
          : ExitCode.SOFTWARE;
    }
  }

  private Transcripts.Summary compare(Engine engine, Engine other, PrintWriter out)
      throws IOException {
    Transcripts transcripts = new Transcripts(requests, out);
    Transcripts.Summary summary =
        record == null
            ? transcripts.compare(engine, other)
            : transcripts.compare(engine, other, record);
    if (summary.requests() == 0) {
      throw new ParameterException(
          spec.commandLine(), "no request has a name that contains '" + requests + "'");
    }
    return summary;
  }
}
