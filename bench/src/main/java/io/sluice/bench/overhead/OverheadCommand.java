package io.sluice.bench.overhead;

import io.sluice.bench.arrival.ArrivalProcess;
import io.sluice.bench.process.TargetOptions;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.config.TextTable;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench overhead}: what the gateway, and other servers, add to an engine's streams. */
@Command(
    name = "overhead",
    sortOptions = false,
    description =
        "Measure what the gateway adds to streams, next to a direct connection, the SDK and"
            + " other servers.")
public final class OverheadCommand implements Callable<Integer> {
  private static final double MILLIS = 1_000;
  private static final String GATEWAY = "gateway";

  /** The code of the other ways needs fewer turns than the gateway until it is compiled. */
  private static final int OTHERS_EVERY = 6;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Mixin private TargetOptions others = new TargetOptions();

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Streams that begin per second (default: ${DEFAULT-VALUE}).")
  private double rate = 50;

  @Option(
      names = "--arrivals",
      paramLabel = "even|poisson",
      description =
          "How they follow each other: evenly, or independently of each other"
              + " (default: ${DEFAULT-VALUE}).")
  private ArrivalProcess arrivals = ArrivalProcess.POISSON;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams in a turn (default: ${DEFAULT-VALUE}).")
  private int streams = 300;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of a stream (default: ${DEFAULT-VALUE}).")
  private int tokens = 64;

  @Option(
      names = "--interval-millis",
      paramLabel = "MS",
      description = "Time between two tokens of a stream (default: ${DEFAULT-VALUE}).")
  private int intervalMillis = 20;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of each way (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description =
          "Turns of the gateway before, until its code and the pool's is compiled; fewer of the"
              + " others (default: ${DEFAULT-VALUE}).")
  private int warmUp = 24;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("sluice-overhead");
    try (PacedEngine engine =
            new PacedEngine(
                others.enginePort(), tokens, TimeUnit.MILLISECONDS.toNanos(intervalMillis));
        OverheadPool pool = new OverheadPool(engine.uri(), concurrent(), folder)) {
      pool.start();
      try (SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
          HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        return run(contestants(engine, pool, client, http));
      }
    } finally {
      Utils.delete(folder.toFile());
    }
  }

  /** Returns how many streams run at the same time. */
  private int concurrent() {
    double seconds = tokens * intervalMillis / MILLIS;
    return (int) Math.ceil(Math.min(streams, rate * seconds));
  }

  private List<Contestant> contestants(
      PacedEngine engine, OverheadPool pool, SluiceClient client, HttpClient http) {
    List<Contestant> all = new ArrayList<>();
    all.add(new Contestant("direct", Ways.http(http, engine.uri()), Optional.empty()));
    all.add(new Contestant("SDK, topics", Ways.topics(client), Optional.empty()));
    all.add(
        new Contestant(GATEWAY, Ways.http(http, pool.gateway()), Optional.of(pool.gatewayPid())));
    others
        .targets(spec)
        .forEach(
            (name, url) ->
                all.add(
                    new Contestant(name, Ways.http(http, url), others.pid(name).map(Math::abs))));
    return all;
  }

  private int run(List<Contestant> contestants) throws IOException, InterruptedException {
    var run = new OverheadRun(new OverheadRun.Load(streams, rate, arrivals, tokens));
    for (int turn = 0; turn < warmUp; turn++) {
      for (Contestant contestant : contestants) {
        if (contestant.name().equals(GATEWAY) || turn % OTHERS_EVERY == 0) {
          run.turn(contestant, turn);
        }
      }
    }
    Map<String, List<OverheadRun.Turn>> turns = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Contestant contestant : contestants) {
        OverheadRun.Turn turn = run.turn(contestant, round);
        turn.problem().ifPresent(problem -> out().println(contestant.name() + ": " + problem));
        turns.computeIfAbsent(contestant.name(), name -> new ArrayList<>()).add(turn);
      }
    }
    print(turns);
    files.write(report(turns));
    int failures =
        turns.values().stream().flatMap(List::stream).mapToInt(t -> t.samples().failures()).sum();
    return failures == 0 ? 0 : 1;
  }

  private void print(Map<String, List<OverheadRun.Turn>> turns) {
    out()
        .printf(
            Locale.ROOT,
            "%d turns of %d streams, %.0f per second (%s), %d tokens %d ms apart; medians of the"
                + " turns%n%n",
            rounds,
            streams,
            rate,
            arrivals,
            tokens,
            intervalMillis);
    var table =
        new TextTable()
            .left("way")
            .right(
                "TTFT p50",
                "p99",
                "lag p50",
                "p99",
                "late streams",
                "CPU/token",
                "peak MiB",
                "failed");
    turns.forEach(
        (name, its) ->
            table.row(
                name,
                millis(its, turn -> turn.samples().firstTokenMillis(50)),
                millis(its, turn -> turn.samples().firstTokenMillis(99)),
                millis(its, turn -> turn.samples().lagMillis(50)),
                millis(its, turn -> turn.samples().lagMillis(99)),
                text("%.0f %%", OverheadRun.median(its, turn -> turn.samples().latePercent())),
                its.getFirst().processorMicros().isEmpty()
                    ? "-"
                    : text(
                        "%.0f us",
                        OverheadRun.median(its, turn -> turn.processorMicros().orElse(0.0))),
                peak(its.getLast().peakMib()),
                Integer.toString(its.stream().mapToInt(t -> t.samples().failures()).sum())));
    out().print(table);
    out().println();
    out()
        .println(
            "Lag: from the engine's write of a token to its arrival. Late: a token over 5 ms.");
    out().flush();
  }

  private static Report report(Map<String, List<OverheadRun.Turn>> turns) {
    var report = new Report();
    turns.forEach(
        (name, its) ->
            report
                .group("")
                .add("TTFT p50, ms", name, its, turn -> turn.samples().firstTokenMillis(50))
                .add("TTFT p99, ms", name, its, turn -> turn.samples().firstTokenMillis(99))
                .add("lag of a token p50, ms", name, its, turn -> turn.samples().lagMillis(50))
                .add("lag of a token p99, ms", name, its, turn -> turn.samples().lagMillis(99))
                .add("late streams, %", name, its, turn -> turn.samples().latePercent())
                .add(
                    "processor time per token, us",
                    name,
                    its,
                    turn -> turn.processorMicros().orElse(Double.NaN)));
    return report;
  }

  private static String millis(
      List<OverheadRun.Turn> turns, ToDoubleFunction<OverheadRun.Turn> figure) {
    return text("%.2f ms", OverheadRun.median(turns, figure));
  }

  private static String peak(OptionalLong mib) {
    return mib.isPresent() ? Long.toString(mib.getAsLong()) : "-";
  }

  private static String text(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
