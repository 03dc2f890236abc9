package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures what the pool adds to the time to the first token, compared with the same hops through
 * Kafka alone. Arguments: rounds, seconds of each part of a round, requests per second.
 */
public final class HopOverhead implements AutoCloseable {
  private static final int WORKERS = 2;
  private static final int TOKENS = 16;
  private static final int WARM_UPS = 3;
  private static final List<String> POOL_HOPS =
      List.of("sluice.requests.", "sluice.worker.", "sluice.replies");
  private static final String MODEL = "measured";
  private static final String PROMPT = "A question of some length, as people ask them. ".repeat(8);

  private final Engines engines;
  private final LocalPool pool;
  private final SluiceClient client;
  private final BareHops bare;
  private final Map<URI, Queue<EngineConnection>> connections = new ConcurrentHashMap<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final Stages bareStages = new Stages();
  private final Stages poolStages = new Stages();

  private HopOverhead() throws Exception {
    engines =
        Engines.start(
            SimulatorConfig.of(GpuProfile.H100_FP8).withModels(List.of(MODEL)).withSpeed(4),
            WORKERS);
    pool = LocalPool.start(PoolPlan.over(Ports.free(), engines.uris(), Optional.empty()));
    client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
    bare = new BareHops(pool.kafka(), pool.plan().partitions(), WORKERS);
  }

  public static void main(String[] args) throws Exception {
    int rounds = argument(args, 0, 5);
    int seconds = argument(args, 1, 10);
    int perSecond = argument(args, 2, 50);
    QuietLog.set();
    try (HopOverhead overhead = new HopOverhead()) {
      System.out.println("warming up ...");
      for (int i = 0; i < WARM_UPS; i++) {
        overhead.round(new Arrivals(perSecond * seconds, perSecond, -i));
      }
      overhead.bareStages.clear();
      overhead.poolStages.clear();
      Table table = new Table();
      for (int i = 1; i <= rounds; i++) {
        table.add(overhead.round(new Arrivals(perSecond * seconds, perSecond, i)));
      }
      table.summary();
      System.out.println("milliseconds of each stage: mean without the slowest tenth (p99)");
      overhead.bareStages.print("bare hops", overhead.pool.kafka(), BareHops.HOPS);
      overhead.poolStages.print("pool", overhead.pool.kafka(), POOL_HOPS);
      System.out.printf("failures: %d%n", overhead.failures.get());
    }
    System.exit(0);
  }

  static int argument(String[] args, int index, int otherwise) {
    return args.length > index ? Integer.parseInt(args[index]) : otherwise;
  }

  /** The samples of a round, in milliseconds. */
  private record Round(Samples bare, Samples engine, Samples pool) {
    /**
     * The engine's median is used for the tail too: times when the engine is slow count as overhead
     * of the pool.
     */
    double added(double quantile) {
      return pool.quantile(quantile) - engine.median();
    }
  }

  private Round round(Arrivals arrivals) throws InterruptedException {
    Round round = new Round(new Samples(), new Samples(), new Samples());
    viaBareHops(arrivals, round.bare());
    viaEngine(arrivals, round.engine());
    viaPool(arrivals, round.pool());
    return round;
  }

  private void viaBareHops(Arrivals arrivals, Samples samples) throws InterruptedException {
    CountDownLatch open = new CountDownLatch(arrivals.count());
    arrivals.run(
        i -> {
          byte[] body = body(i);
          String id = UUID.randomUUID().toString();
          bareStages.sent(id, System.currentTimeMillis());
          long start = System.nanoTime();
          bare.send(
              id,
              body,
              () -> {
                samples.addMillis(System.nanoTime() - start);
                bareStages.received(id);
                open.countDown();
              });
        });
    await(open);
  }

  private void viaEngine(Arrivals arrivals, Samples samples) throws InterruptedException {
    CountDownLatch open = new CountDownLatch(arrivals.count());
    arrivals.run(
        i -> {
          byte[] body = body(i);
          URI engine = engines.uris().get(i % WORKERS);
          long start = System.nanoTime();
          Thread.startVirtualThread(
              () -> {
                askEngine(engine, body, start, samples);
                open.countDown();
              });
        });
    await(open);
    closeConnections();
  }

  /** An engine closes connections that are idle for some seconds; the next round opens its own. */
  private void closeConnections() {
    for (Queue<EngineConnection> idle : connections.values()) {
      for (var connection = idle.poll(); connection != null; connection = idle.poll()) {
        connection.close();
      }
    }
  }

  private void askEngine(URI engine, byte[] body, long start, Samples samples) {
    var idle = connections.computeIfAbsent(engine, any -> new ConcurrentLinkedQueue<>());
    try {
      EngineConnection kept = idle.poll();
      EngineConnection connection = kept == null ? new EngineConnection(engine) : kept;
      long[] first = new long[1];
      connection.chat(
          body,
          frame -> {
            if (first[0] == 0 && !frame.contains("\"content\":\"\"")) {
              first[0] = System.nanoTime();
            }
          });
      samples.addMillis(first[0] - start);
      idle.add(connection);
    } catch (IOException e) {
      failures.incrementAndGet();
    }
  }

  private void viaPool(Arrivals arrivals, Samples samples) throws InterruptedException {
    CountDownLatch open = new CountDownLatch(arrivals.count());
    arrivals.run(
        i -> {
          byte[] body = body(i);
          long startMillis = System.currentTimeMillis();
          long start = System.nanoTime();
          var request = InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body).build();
          ReplyStream stream = client.submit(request);
          poolStages.sent(stream.requestId(), startMillis);
          stream.subscribe(new FirstToken(stream.requestId(), start, samples, open));
        });
    await(open);
  }

  private final class FirstToken implements Flow.Subscriber<ReplyEvent> {
    private final String id;
    private final long start;
    private final Samples samples;
    private final CountDownLatch open;
    private boolean isMeasured;

    FirstToken(String id, long start, Samples samples, CountDownLatch open) {
      this.id = id;
      this.start = start;
      this.samples = samples;
      this.open = open;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ReplyEvent event) {
      if (event instanceof ReplyEvent.Tokens && !isMeasured) {
        isMeasured = true;
        samples.addMillis(System.nanoTime() - start);
        poolStages.received(id);
      } else if (event instanceof ReplyEvent.Failed) {
        failures.incrementAndGet();
      }
    }

    @Override
    public void onError(Throwable error) {
      failures.incrementAndGet();
      open.countDown();
    }

    @Override
    public void onComplete() {
      open.countDown();
    }
  }

  private void await(CountDownLatch open) throws InterruptedException {
    if (!open.await(60, TimeUnit.SECONDS)) {
      failures.addAndGet((int) open.getCount());
    }
  }

  private static byte[] body(int number) {
    return """
        {"model":"%s","messages":[{"role":"user","content":"%d %s"}],"max_tokens":%d,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}"""
        .formatted(MODEL, number, PROMPT, TOKENS)
        .getBytes(UTF_8);
  }

  /** Prints each round as it ends, and the medians at the end. */
  private static final class Table {
    private static final List<Double> QUANTILES = List.of(0.5, 0.99);
    private final List<Round> rounds = new java.util.ArrayList<>();

    Table() {
      System.out.println("milliseconds; added = pool - engine p50");
      System.out.println(
          "round  bare p50    p99  engine p50    p99  pool p50    p99  added p50    p99");
    }

    void add(Round round) {
      rounds.add(round);
      System.out.printf(
          Locale.ROOT,
          "%5d  %8.1f %6.1f  %10.1f %6.1f  %8.1f %6.1f  %9.1f %6.1f%n",
          rounds.size(),
          round.bare().quantile(0.5),
          round.bare().quantile(0.99),
          round.engine().quantile(0.5),
          round.engine().quantile(0.99),
          round.pool().quantile(0.5),
          round.pool().quantile(0.99),
          round.added(0.5),
          round.added(0.99));
    }

    void summary() {
      for (double quantile : QUANTILES) {
        double hops =
            Samples.of(rounds.stream().map(r -> r.bare().quantile(quantile)).toList()).median();
        double added = Samples.of(rounds.stream().map(r -> r.added(quantile)).toList()).median();
        System.out.printf(
            Locale.ROOT,
            "p%.0f, median of %d rounds: bare hops %.1f ms, the pool adds %.1f ms: %.2f times%n",
            quantile * 100,
            rounds.size(),
            hops,
            added,
            added / hops);
      }
    }
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
    bare.close();
    pool.close();
    engines.close();
  }
}
