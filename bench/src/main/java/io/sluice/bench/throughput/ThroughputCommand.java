package io.sluice.bench.throughput;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.load.ServicePool;
import io.sluice.bench.process.Progress;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench throughput}: how many tokens a pool passes on, and what a token costs. */
@Command(
    name = "throughput",
    sortOptions = false,
    description =
        "Lets callers read streams as fast as a pool gives them, through a gateway and with the"
            + " SDK, and prints the processor time per token of each process.")
public final class ThroughputCommand implements Callable<Integer> {
  private static final String PROFILE = "h100-fp8";

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams of a turn, all at once (default: ${DEFAULT-VALUE}).")
  private int streams = 64;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of a stream (default: ${DEFAULT-VALUE}).")
  private int tokens = 512;

  @Option(
      names = "--turns",
      paramLabel = "N",
      description = "Turns of each way (default: ${DEFAULT-VALUE}).")
  private int turns = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description =
          "Turns of each way before, until the code is compiled (default: ${DEFAULT-VALUE}).")
  private int warmUp = 8;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    var progress = new Progress(out);
    try (var pool = new ServicePool("throughput", PROFILE, streams, List.of())) {
      progress.accept("starting a pool");
      pool.start();
      try (var gateways = new Gateways(List.of(pool.gateway()));
          SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("gateway", Way.gateway(gateways));
        ways.put("SDK", Way.sdk(client));
        var run = new ThroughputRun(pool, streams, tokens);
        progress.accept("warming up");
        turns(run, ways, warmUp);
        progress.accept("measuring");
        turns(run, ways, turns)
            .forEach((way, its) -> out.println("\n" + new ThroughputReport(way, its).text()));
        out.flush();
        return 0;
      }
    }
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
