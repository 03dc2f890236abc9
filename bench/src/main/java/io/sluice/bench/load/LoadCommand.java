package io.sluice.bench.load;

import io.sluice.bench.process.Progress;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.SimulatedEngineOptions;
import io.sluice.standalone.pool.PoolPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench load}: how many answers of a server are in time, at several rates. */
@Command(
    name = "load",
    sortOptions = false,
    description =
        "Send streamed chats at given rates (open loop), and count the answers that"
            + " are in time: of servers of OpenAI's API, or of a pool that is started for it and of"
            + " the same engines without the pool. Exits with 1 if a request was neither answered"
            + " nor refused.")
public final class LoadCommand implements Callable<Integer> {
  private static final String SLO_HEADER = "x-sluice-slo-ttft-ms";

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--target",
      paramLabel = "NAME=URL",
      description =
          "A server to measure, without /v1; repeatable. Several get the same requests in turn"
              + " (default: a pool of two simulated engines, and these engines by round-robin).")
  private Map<String, URI> targets = new LinkedHashMap<>();

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model that targets serve (default: ${DEFAULT-VALUE}).")
  private String model = PoolPlan.MODEL;

  @Option(
      names = "--rate",
      split = ",",
      paramLabel = "N",
      description = "Requests per second; they come at random (default: 5,10,20).")
  private List<Double> rates = List.of(5.0, 10.0, 20.0);

  @Option(
      names = "--prompt-tokens",
      paramLabel = "N",
      description = "Words of a prompt, half more or less (default: ${DEFAULT-VALUE}).")
  private int promptTokens = 300;

  @Option(
      names = "--output-tokens",
      paramLabel = "N",
      description = "Tokens of an answer, half more or less (default: ${DEFAULT-VALUE}).")
  private int outputTokens = 100;

  @Option(
      names = "--ttft-ms",
      paramLabel = "MS",
      description =
          "How soon the first token is in time; gateways are told (default: ${DEFAULT-VALUE}).")
  private double ttftMillis = 1_000;

  @Option(
      names = "--tpot-ms",
      paramLabel = "MS",
      description = "How soon further tokens are, on average (default: ${DEFAULT-VALUE}).")
  private double tpotMillis = 50;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of each server at each rate (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of a turn that are measured (default: ${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      description = "Seconds of a turn before them (default: ${DEFAULT-VALUE}).")
  private int warmUp = 5;

  @Option(
      names = "--warm-up-rounds",
      paramLabel = "N",
      description =
          "Turns of each server at the first rate before, which are not counted: they find code that"
              + " is not compiled (default: ${DEFAULT-VALUE}).")
  private int warmUpRounds = 2;

  @Mixin private SimulatedEngineOptions engines = new SimulatedEngineOptions();

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1
        || seconds < 1
        || warmUp < 0
        || warmUpRounds < 0
        || rates.stream().anyMatch(rate -> rate <= 0)) {
      throw new ParameterException(
          spec.commandLine(),
          "--rounds, --seconds and --rate must be more than 0, the warm-ups at least 0");
    }
    if (promptTokens < 1 || outputTokens < 1 || !engines.isValid()) {
      throw new ParameterException(
          spec.commandLine(),
          "--prompt-tokens, --output-tokens and --max-num-seqs must be more than 0");
    }
    if (!targets.isEmpty()) {
      List<Server> servers = new ArrayList<>();
      targets.forEach((name, uri) -> servers.add(server(name, List.of(uri))));
      return measure(servers);
    }
    progress().accept("starting a pool");
    try (var pool = new ServicePool("load", engines.engines(2), Map.of())) {
      pool.start();
      return measure(
          List.of(
              server("gateway", List.of(pool.gateway())), server("round-robin", pool.engines())));
    }
  }

  private Server server(String name, List<URI> uris) {
    return new Server(name, uris, model, Map.of(SLO_HEADER, Long.toString(Math.round(ttftMillis))));
  }

  private int measure(List<Server> servers) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      var run =
          new LoadRun(
              new Plan.Shape(promptTokens, outputTokens),
              Duration.ofSeconds(warmUp),
              Duration.ofSeconds(seconds),
              new Objectives(ttftMillis, tpotMillis),
              progress());
      var _ = run.turns(servers, rates.getFirst(), warmUpRounds);
      var report = new Report();
      boolean hasFailed = false;
      for (double rate : rates) {
        Map<String, List<Turn>> turns = run.turns(servers, rate, rounds);
        var its = new LoadReport(rate, turns);
        out.println();
        out.println(its.text());
        out.flush();
        its.addTo(report);
        hasFailed |=
            turns.values().stream()
                .flatMap(List::stream)
                .anyMatch(turn -> turn.failedPercent() > 0);
      }
      out.printf(
          Locale.ROOT,
          "medians of %d turns; ms, counted from when a request was due; in time: %.0f ms to the"
              + " first token, %.0f ms per further one%n",
          rounds,
          ttftMillis,
          tpotMillis);
      files.write(report);
      return hasFailed ? 1 : 0;
    } finally {
      servers.forEach(Server::close);
    }
  }

  private Progress progress() {
    return new Progress(spec.commandLine().getOut());
  }
}
