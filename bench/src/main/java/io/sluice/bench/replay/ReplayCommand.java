package io.sluice.bench.replay;

import static java.util.function.Predicate.not;

import io.sluice.bench.fleet.run.Scorecard;
import io.sluice.bench.replay.log.PoolRecording;
import io.sluice.bench.replay.log.Recording;
import io.sluice.bench.replay.model.ModelRun;
import io.sluice.bench.replay.model.ReplayRequests;
import io.sluice.bench.replay.model.Replayed;
import io.sluice.bench.replay.model.Scenario;
import io.sluice.cli.ClientOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DurationConverter;
import io.sluice.cli.operations.PoolOptions;
import io.sluice.config.InvalidSettingsException;
import io.sluice.config.PropertiesFile;
import io.sluice.config.SettingSources;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.producer.ClientConfig;
import io.sluice.router.app.RouterConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code replay}: the pool's recorded traffic under other settings, in virtual time. */
@Command(
    name = "sluice replay",
    mixinStandardHelpOptions = true,
    description =
        "Replay the pool's recorded traffic in virtual time under other weights, another policy or"
            + " another fleet, and compare that with what happened. Reads only; changes nothing.",
    footer = {"", "Exit codes: 0 ok, 1 failed work, 2 wrong usage."})
public final class ReplayCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // required
  @Option(
      names = "--from",
      required = true,
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description =
          "Begin with the requests of this time: 2026-11-27T10:00Z, or a duration back from now such"
              + " as 30m.")
  private Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "End before this time. Default: now.")
  private Optional<Instant> to = Optional.empty();

  @Option(
      names = "--warm-up",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Amount of traffic before --from to replay first, which fills the caches. Default: 10m.")
  private Duration warmUp = Duration.ofMinutes(10);

  @Option(
      names = "--slo",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How soon requests want their first token that do not say it (slo-ttft-ms). Default: 2s.")
  private Duration slo = Duration.ofMillis((long) Scorecard.TTFT_MILLIS);

  @Option(
      names = "--most",
      paramLabel = "N",
      description =
          "Read at most this many requests, including those of the warm-up. Default:"
              + " ${DEFAULT-VALUE}.")
  private int most = 200_000;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "Runs of each kind; the table has their means. Default: ${DEFAULT-VALUE}.")
  private int seeds = 3;

  @Option(names = "--json", paramLabel = "OUT", description = "Write the figures to this file.")
  private Optional<Path> json = Optional.empty();

  @Option(
      names = "--router-config",
      paramLabel = "FILE",
      description =
          "The settings file of the pool's routers. Their environment variables, such as"
              + " SLUICE_TIERS, count too. Default: the routers' defaults.")
  private Optional<Path> routerConfig = Optional.empty();

  @Mixin private final WhatIfOptions options = new WhatIfOptions();

  @Mixin private final ClientOptions client = new ClientOptions();

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PoolRecording.Span span = span();
    RouterConfig router = router();
    ClientConfig kafka = client.clientConfig();
    PoolRecording.Reading reading =
        ClientOptions.reach(kafka, () -> PoolRecording.read(kafka, router, span, most));
    checkRecorded(reading.recording());
    List<WorkerSnapshot> workers = workers();
    checkTiers(workers, router);
    var about = new About(span, Instant.now());
    about.recording(reading);
    about.gone(reading.recording(), workers);
    try {
      replay(reading.recording(), workers, router, about);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return 0;
  }

  private PoolRecording.Span span() {
    Instant end = to.orElseGet(Instant::now);
    Optional<String> problem =
        options
            .problem()
            .or(() -> problem(seeds < 1 || most < 1, "--seeds and --most must be more than 0"))
            .or(() -> problem(!from.isBefore(end), "--from must be before --to and before now"));
    if (problem.isPresent()) {
      throw new ParameterException(spec.commandLine(), problem.get());
    }
    return new PoolRecording.Span(
        from.minus(warmUp).toEpochMilli(), from.toEpochMilli(), end.toEpochMilli());
  }

  private static Optional<String> problem(boolean isWrong, String message) {
    return isWrong ? Optional.of(message) : Optional.empty();
  }

  private RouterConfig router() {
    try {
      Map<String, String> file =
          routerConfig.isPresent() ? PropertiesFile.read(routerConfig.get()) : Map.of();
      return RouterConfig.SCHEMA.read(new SettingSources(Map.of(), System.getenv(), file));
    } catch (IOException | InvalidSettingsException e) {
      throw new ParameterException(
          spec.commandLine(), "cannot read the routers' settings: " + e.getMessage(), e);
    }
  }

  private static void checkRecorded(Recording recording) {
    if (recording.measured().isEmpty()) {
      throw new CommandFailedException(
          "the lanes have no request of this time: choose another --from and --to (by default the"
              + " lanes keep requests for 2 days), and check --kafka");
    }
    if (recording.measured().stream().noneMatch(request -> request.happened().isComparable())) {
      throw new CommandFailedException(
          "there are %,d requests, but no record of how any of them ended: wait until they have, or choose an earlier --from"
              .formatted(recording.measured().size()));
    }
  }

  private List<WorkerSnapshot> workers() {
    try (PoolOptions.Fleet fleet = pool.open()) {
      return fleet.workers().workers();
    }
  }

  /** With tiers that these settings do not know, no request would ever go to their workers. */
  private static void checkTiers(List<WorkerSnapshot> workers, RouterConfig router) {
    List<String> unknown =
        workers.stream()
            .flatMap(worker -> worker.tier().stream())
            .filter(tier -> !router.tierSettings().names().contains(tier))
            .distinct()
            .toList();
    if (!unknown.isEmpty()) {
      throw new CommandFailedException(
          "the pool has workers of the tiers %s, but the routers' settings name only %s: give those of its routers with --router-config, or set SLUICE_TIERS"
              .formatted(
                  String.join(", ", unknown), String.join(", ", router.tierSettings().names())));
    }
  }

  private void replay(
      Recording recording, List<WorkerSnapshot> workers, RouterConfig router, About about)
      throws IOException, InterruptedException {
    Scenario model = options.model(workers, recording.requests(), router);
    Recording served = recording.only(model.fleet()::serves);
    about.unserved(recording.requests().stream().filter(not(model.fleet()::serves)).toList());
    checkRecorded(served);
    Optional<Scenario> whatIf = options.whatIf(model, workers, served.requests());
    var requests = new ReplayRequests(served);
    List<Scenario> scenarios = Stream.concat(Stream.of(model), whatIf.stream()).toList();
    scenarios.forEach(scenario -> ModelRun.check(requests, scenario));
    about.fleet("Model", model.fleet());
    about.assumed(model.fleet());
    whatIf
        .filter(scenario -> !scenario.fleet().equals(model.fleet()))
        .ifPresent(scenario -> about.fleet("What if", scenario.fleet()));
    PrintWriter out = spec.commandLine().getOut();
    about.lines().forEach(out::println);
    out.println();
    out.flush();
    List<List<Replayed>> runs = ModelRun.all(requests, scenarios, seeds);
    ReplayComparison comparison =
        ReplayComparison.of(
            requests,
            (double) slo.toMillis(),
            runs.getFirst(),
            runs.size() > 1 ? runs.getLast() : List.of());
    out.print(ReplayTable.of(comparison));
    out.flush();
    if (json.isPresent()) {
      ReplayJson.write(json.get(), about.lines(), comparison);
    }
  }
}
