package io.sluice.standalone.measure;

import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.VirtualEngine;
import io.sluice.simulator.text.TokenIds;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Measures the cost of one process with many busy engines, and whether their tokens arrive when the
 * GPU's model predicts. The engines run in a process of their own, so that its CPU time is theirs
 * alone. Arguments: engines, streams on each, tokens of each stream, speed.
 */
public final class SimulatedEngines {
  private static final int PROMPT_TOKENS = 12;

  private SimulatedEngines() {}

  /** The arrival time of each token of a stream, in nanoseconds. */
  private record Stream(URI engine, long[] tokenNanos) {

    Stream(URI engine, int tokens) {
      this(engine, new long[tokens]);
    }

    void read(int number) {
      byte[] body = StreamedChat.body(SimulatorConfig.DEFAULT_MODEL, number, tokenNanos.length);
      int[] received = {0};
      try (var connection = new EngineConnection(engine)) {
        connection.chat(
            body,
            frame -> {
              int upTo = StreamedChat.completionTokens(frame);
              if (upTo > received[0]) {
                Arrays.fill(tokenNanos, received[0], upTo, System.nanoTime());
                received[0] = upTo;
              }
            });
      } catch (Exception e) {
        System.err.printf("stream %d failed after %d tokens: %s%n", number, received[0], e);
      }
    }

    /**
     * Records how late each token was, relative to the schedule on which the earliest token was on
     * time.
     */
    void lateness(long[] model, Samples into) {
      long earliest =
          IntStream.range(0, model.length).mapToLong(i -> tokenNanos[i] - model[i]).min().orElse(0);
      for (int i = 0; i < model.length; i++) {
        into.addMillis(tokenNanos[i] - model[i] - earliest);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int engines = HopOverhead.argument(args, 0, 64);
    int perEngine = HopOverhead.argument(args, 1, 4);
    int tokens = HopOverhead.argument(args, 2, 900);
    double speed = args.length > 3 ? Double.parseDouble(args[3]) : 0.7;
    QuietLog.set();
    System.out.printf(
        "%d engines in one process, %d streams of %d tokens on each%n", engines, perEngine, tokens);
    System.out.println(
        "          tok/s  modelled  late: p50 ms  p99 ms  max ms  cores: engines  readers");
    List<String> server =
        List.of("measure", "EngineServer", String.valueOf(engines), String.valueOf(speed));
    try (LaunchedService service = LaunchedService.start(EngineServer.READY, server)) {
      List<URI> uris =
          service.output().stream().filter(l -> l.startsWith("http")).map(URI::create).toList();
      measure("warm-up", service, uris, perEngine, model(perEngine, tokens / 2, speed));
      measure("measured", service, uris, perEngine, model(perEngine, tokens, speed));
      System.out.printf("peak RSS of the engines' process: %d MiB%n", service.memory().peakMib());
    }
    System.exit(0);
  }

  private static void measure(
      String what, LaunchedService service, List<URI> engines, int perEngine, long[] model)
      throws InterruptedException {
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < perEngine; i++) {
      engines.forEach(engine -> streams.add(new Stream(engine, model.length)));
    }
    Duration enginesBefore = service.cpu();
    Duration readersBefore = LaunchedService.cpu(ProcessHandle.current());
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < streams.size(); i++) {
      int number = i;
      threads.add(Thread.startVirtualThread(() -> streams.get(number).read(number)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double nanos = System.nanoTime() - start;
    Samples late = new Samples();
    streams.forEach(stream -> stream.lateness(model, late));
    System.out.printf(
        Locale.ROOT,
        "%-9s %5.0f  %8.0f  %12.1f  %6.1f  %6.0f  %14.2f  %7.2f%n",
        what,
        streams.size() * model.length / (nanos / 1e9),
        streams.size() * (model.length - 1) / (model[model.length - 1] / 1e9),
        late.median(),
        late.quantile(0.99),
        late.quantile(1),
        service.cpu().minus(enginesBefore).toNanos() / nanos,
        LaunchedService.cpu(ProcessHandle.current()).minus(readersBefore).toNanos() / nanos);
  }

  /** Returns the model's time of each token of a stream, after the first one. */
  private static long[] model(int streams, int tokens, double speed) {
    List<Long> times = new ArrayList<>();
    EngineConfig config =
        EngineConfig.of(
            EngineServer.config(speed).timing(), EngineServer.config(speed).maxModelLen());
    var engine =
        new VirtualEngine(
            config,
            (sequence, token, endNanos) -> {
              if (sequence.request().id() == 0) {
                times.add(endNanos);
              }
            });
    for (int id = 0; id < streams; id++) {
      TokenIds prompt = TokenIds.of(IntStream.range(id, id + PROMPT_TOKENS).toArray());
      engine.submit(new SequenceRequest(id, prompt, tokens, Set.of(), 0, () -> 1));
    }
    engine.runToEnd(Long.MAX_VALUE / 2);
    return times.stream().mapToLong(time -> time - times.getFirst()).toArray();
  }
}
