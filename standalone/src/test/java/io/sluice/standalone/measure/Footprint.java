package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * Measures how long the launcher's commands take until they are ready, and their memory, idle and
 * under load. Uses the fixed ports of {@code up}. Arguments: runs, and optionally one part ({@code
 * up}, {@code demo} or {@code services}).
 */
public final class Footprint {
  private static final int BURST = 64;
  private static final int BURSTS = 12;
  private static final int TOKENS = 200;
  private static final String PARTITIONS = "8";
  private static final String HEADER =
      "%-10s  %-28s  %10s  %10s  %10s%n"
          .formatted("", "seconds (each run)", "median s", "idle MiB", "peak MiB");

  private Footprint() {}

  /** The figures of a command over all runs. */
  private record Figures(String name, List<Double> seconds, Samples idleMib, Samples peakMib) {
    Figures(String name) {
      this(name, new ArrayList<>(), new Samples(), new Samples());
    }

    void ready(LaunchedService service) throws IOException {
      seconds.add(service.secondsUntilReady());
      idleMib.add(service.memory().nowMib());
    }

    void loaded(LaunchedService service) throws IOException {
      peakMib.add(service.memory().peakMib());
    }

    void print() {
      System.out.printf(
          Locale.ROOT,
          "%-10s  %-28s  %10.1f  %10.0f  %10.0f%n",
          name,
          seconds.stream()
              .map(s -> String.format(Locale.ROOT, "%.1f", s))
              .reduce((a, b) -> a + " " + b)
              .orElse(""),
          Samples.of(seconds).median(),
          idleMib.median(),
          peakMib.quantile(1));
    }
  }

  public static void main(String[] args) throws Exception {
    int runs = HopOverhead.argument(args, 0, 3);
    QuietLog.set();
    Figures up = new Figures("up");
    Figures demo = new Figures("demo");
    Figures router = new Figures("router");
    Figures worker = new Figures("worker");
    Figures simulator = new Figures("simulator");
    for (int i = 0; i < runs; i++) {
      if (isWanted(args, "up")) {
        standalone(up);
      }
      if (isWanted(args, "demo")) {
        demo(demo);
      }
      if (isWanted(args, "services")) {
        separate(router, worker, simulator);
      }
    }
    System.out.print(HEADER);
    Stream.of(up, demo, router, worker, simulator)
        .filter(figures -> !figures.seconds().isEmpty())
        .forEach(Figures::print);
    System.exit(0);
  }

  private static boolean isWanted(String[] args, String part) {
    return args.length < 2 || args[1].equals(part);
  }

  private static void standalone(Figures figures) throws Exception {
    try (var up = LaunchedService.start("Ctrl-C stops it", List.of("up"))) {
      figures.ready(up);
      load("127.0.0.1:19092");
      figures.loaded(up);
    }
  }

  private static void demo(Figures figures) throws Exception {
    try (var demo = LaunchedService.start("All answers are in", List.of("demo"))) {
      figures.ready(demo);
      figures.loaded(demo);
    }
  }

  private static void separate(Figures routers, Figures workers, Figures simulators)
      throws Exception {
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var redis = EmbeddedRedis.start(0)) {
      List<String> pool =
          List.of(
              "--kafka",
              kafka.bootstrapServers(),
              "--redis",
              redis.uri(),
              "--partitions",
              PARTITIONS,
              "--replication",
              "1");
      String enginePort = Integer.toString(LocalPort.settle(0, "the engine"));
      List<String> routerCommand =
          with(
              pool,
              "router",
              "--port",
              Integer.toString(LocalPort.settle(0, "the router")),
              "--models",
              PoolPlan.MODEL + "=16384");
      List<String> engineCommand =
          List.of(
              "simulator", "--model", PoolPlan.MODEL, "--profile", "h100", "--port", enginePort);
      List<String> workerCommand =
          with(
              pool,
              "worker",
              "--id",
              "measured",
              "--port",
              "0",
              "--engine-url",
              "http://127.0.0.1:" + enginePort);
      try (var router = LaunchedService.start("ready", routerCommand);
          var engine = LaunchedService.start("ready", engineCommand);
          var worker = LaunchedService.start("ready", workerCommand)) {
        routers.ready(router);
        simulators.ready(engine);
        workers.ready(worker);
        load(kafka.bootstrapServers());
        routers.loaded(router);
        simulators.loaded(engine);
        workers.loaded(worker);
      }
    }
  }

  private static List<String> with(List<String> pool, String... own) {
    List<String> all = new ArrayList<>(List.of(own));
    all.addAll(pool);
    return all;
  }

  /** Sends bursts of streamed requests, some with long prompts. */
  private static void load(String kafka) throws InterruptedException {
    int failed = 0;
    try (var client = SluiceClient.connect(ClientConfig.at(kafka))) {
      for (int burst = 0; burst < BURSTS; burst++) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < BURST; i++) {
          answers.add(client.submit(request(burst * BURST + i)).answer());
        }
        for (var answer : answers) {
          try {
            answer.get();
          } catch (ExecutionException e) {
            failed++;
          }
        }
      }
    }
    if (failed > 0) {
      System.out.printf("%d of %d requests failed%n", failed, BURSTS * BURST);
    }
  }

  private static InferenceRequest request(int number) {
    String prompt = "word ".repeat(number % 8 == 0 ? 4_000 : 100);
    byte[] body =
        """
        {"model":"%s","messages":[{"role":"user","content":"%d %s"}],"max_tokens":%d,"ignore_eos":true,"stream":true}"""
            .formatted(PoolPlan.MODEL, number, prompt, TOKENS)
            .getBytes(UTF_8);
    return InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body).build();
  }
}
