package io.sluice.bench.throughput;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.Progress;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.ServicePool.Engines;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench throughput}: how many tokens a pool passes on, and what a token costs. */
@Command(
    name = "throughput",
    sortOptions = false,
    description =
        "Let callers read streams as fast as a pool gives them, through a gateway and with the"
            + " SDK, and print the processor time per token of each process.")
public final class ThroughputCommand implements Callable<Integer> {
  private static final String PROFILE = "h100-fp8";

  /** The memory of engines with a larger one does not hold all streams. */
  private static final int CONTEXT = 16_384;

  /** What a router's backlog holds by default, less a place for each stream and to spare. */
  private static final int MOST_WAITING = 90_000;

  /** What a router parks. */
  private static final int MOST_PARKED = 1_000_000;

  private static final double COMPILED = 0.1;
  private static final int PERCENT = 100;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams of a turn, all at once (default: ${DEFAULT-VALUE}).")
  private int streams = 256;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of a stream (default: ${DEFAULT-VALUE}).")
  private int tokens = 256;

  @Option(
      names = "--prompt-words",
      paramLabel = "N",
      description = "Words of a prompt (default: ${DEFAULT-VALUE}).")
  private int promptWords = 5;

  @Option(
      names = "--engines",
      paramLabel = "N",
      description = "Engines, each with a worker (default: ${DEFAULT-VALUE}).")
  private int engines = 2;

  @Option(
      names = "--turns",
      paramLabel = "N",
      description = "Turns of each way (default: ${DEFAULT-VALUE}).")
  private int turns = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description =
          "Turns of each way before, at most; they end when compilers take less than 10 %% of the"
              + " processor time (default: ${DEFAULT-VALUE}).")
  private int warmUp = 30;

  @Option(
      names = "--gather-millis",
      paramLabel = "N",
      description = "As of the workers (default: theirs). 0 for a record per token.")
  private Optional<Integer> gatherMillis = Optional.empty();

  @Option(
      names = "--waiting",
      paramLabel = "N",
      description =
          "Interactive requests that wait in the router meanwhile, for a model that no engine"
              + " serves; at most 90,000 (default: ${DEFAULT-VALUE}).")
  private int waiting;

  @Option(
      names = "--parked",
      paramLabel = "N",
      description =
          "The same of bulk requests, which are parked; at most 1,000,000 (default:"
              + " ${DEFAULT-VALUE}).")
  private int parked;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (streams < 1 || tokens < 1 || promptWords < 1 || engines < 1 || turns < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--streams, --tokens, --prompt-words, --engines and --turns must be more than 0");
    }
    if (waiting < 0 || waiting > MOST_WAITING || parked < 0 || parked > MOST_PARKED) {
      throw new ParameterException(
          spec.commandLine(),
          "--waiting must be 0 to %,d, and --parked 0 to %,d".formatted(MOST_WAITING, MOST_PARKED));
    }
    PrintWriter out = spec.commandLine().getOut();
    var progress = new Progress(out);
    try (var pool = new ServicePool("throughput", shape(), settings())) {
      progress.accept("starting a pool");
      pool.start();
      if (waiting + parked > 0) {
        progress.accept("sending requests that wait");
        new Backlog(waiting, parked).fill(pool);
      }
      try (var gateways = new Gateways(List.of(pool.gateway()));
          SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("gateway", Way.gateway(gateways));
        ways.put("SDK", Way.sdk(client));
        var run = new ThroughputRun(pool, streams, new Way.Ask(prompt(), tokens));
        progress.accept("warming up");
        warmUp(run, ways, progress);
        progress.accept("measuring");
        var report = new Report();
        turns(run, ways, turns)
            .forEach(
                (way, turnsOfIt) -> {
                  var its = new ThroughputReport(way, turnsOfIt);
                  out.println("\n" + its.text());
                  its.addTo(report);
                });
        files.write(report);
        return 0;
      }
    }
  }

  private Engines shape() {
    return new Engines(PROFILE, engines, streams, CONTEXT);
  }

  private String prompt() {
    return String.join(" ", Collections.nCopies(promptWords, "story"));
  }

  private Map<String, List<String>> settings() {
    return gatherMillis.isEmpty()
        ? Map.of()
        : Map.of("worker", List.of("--gather-millis=" + gatherMillis.get()));
  }

  /** Until its code is compiled, a pool's figures say more about the compilers than about it. */
  private void warmUp(ThroughputRun run, Map<String, Way> ways, Progress progress)
      throws IOException, InterruptedException {
    double share = 1;
    int done = 0;
    while (done < warmUp && share >= COMPILED) {
      share =
          turns(run, ways, 1).values().stream()
              .flatMap(List::stream)
              .mapToDouble(Turn::compilersShare)
              .average()
              .orElse(0);
      done++;
    }
    progress.accept(
        "warmed up by %d turns; compilers take %.0f %% of the processor time"
            .formatted(done, share * PERCENT));
  }

  /** Runs the ways in turn. */
  private static Map<String, List<Turn>> turns(ThroughputRun run, Map<String, Way> ways, int count)
      throws IOException, InterruptedException {
    Map<String, List<Turn>> all = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      for (Map.Entry<String, Way> way : ways.entrySet()) {
        all.computeIfAbsent(way.getKey(), name -> new ArrayList<>()).add(run.turn(way.getValue()));
      }
    }
    return all;
  }
}
