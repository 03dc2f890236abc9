package io.sluice.standalone.measure;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures whether many streams reach their readers as fast as the engines generate them, first
 * directly over HTTP, then through the pool. Arguments: streams, tokens of each.
 */
public final class ManyStreams {
  private static final int WORKERS = 4;
  private static final String MODEL = "measured";

  /** With 64 sequences, a step of this GPU takes 26 to 36 ms, depending on their length. */
  private static final SimulatorConfig ENGINE = EngineServer.config(1).withModels(List.of(MODEL));

  private static final Duration SAMPLE_EVERY = Duration.ofMillis(500);
  private static final Pattern GENERATED =
      Pattern.compile("vllm:generation_tokens_total\\{[^}]*} ([0-9.e+]+)");

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ManyStreams() {}

  /** The token times of one reader. */
  private static final class Reader {
    private final Samples gaps = new Samples();
    private volatile int tokens;
    private volatile boolean changedWorker;
    private long firstNanos;
    private volatile long lastNanos;

    void received(int upTo) {
      long now = System.nanoTime();
      if (tokens > 0) {
        gaps.addMillis(now - lastNanos);
      } else {
        firstNanos = now;
      }
      lastNanos = now;
      tokens = upTo;
    }

    double perSecond() {
      return (tokens - 1) / ((lastNanos - firstNanos) / 1e9);
    }
  }

  /** Reads one stream to its end. */
  private interface Source {
    void read(int number, Reader reader) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    int streams = HopOverhead.argument(args, 0, 256);
    int tokens = HopOverhead.argument(args, 1, 750);
    QuietLog.set();
    System.out.printf("%d streams of %d tokens, %d engines%n", streams, tokens, WORKERS);
    System.out.println(
        "         tok/s  slowest stream  gap p50  gap p99  longest  behind the engines: p50 ms  max ms  cores  moved");
    try (Engines engines = Engines.start(ENGINE, WORKERS)) {
      measure(
          "HTTP",
          streams,
          tokens,
          engines.uris(),
          (i, reader) -> direct(engines, i, tokens, reader));
      try (LocalPool pool =
              LocalPool.start(PoolPlan.over(Ports.free(), engines.uris(), Optional.empty()));
          SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
        Source source = (i, reader) -> throughPool(client, i, tokens, reader);
        measure(
            "warm-up",
            streams,
            tokens / 4,
            engines.uris(),
            (i, r) -> throughPool(client, i, tokens / 4, r));
        measure("pool", streams, tokens, engines.uris(), source);
      }
    }
    System.out.printf(
        "peak RSS of this process: %d MiB%n", Memory.of(ProcessHandle.current()).peakMib());
    System.exit(0);
  }

  private static void measure(
      String what, int streams, int tokens, List<URI> engines, Source source) throws Exception {
    List<Reader> readers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    long before = generated(engines);
    long cpuStart = cpuNanos();
    long start = System.nanoTime();
    for (int i = 0; i < streams; i++) {
      int number = i;
      Reader reader = new Reader();
      readers.add(reader);
      threads.add(Thread.startVirtualThread(() -> read(source, number, reader)));
    }
    Samples behind = new Samples();
    double perSecond = streams * 30.0;
    while (threads.stream().anyMatch(Thread::isAlive)) {
      Thread.sleep(SAMPLE_EVERY);
      long delivered = readers.stream().mapToLong(reader -> reader.tokens).sum();
      long made = generated(engines) - before;
      if (made < (long) streams * tokens) {
        behind.add(Math.max(0, made - delivered) / perSecond * 1_000);
      }
    }
    double cores = (double) (cpuNanos() - cpuStart) / (System.nanoTime() - start);
    report(what, readers, behind, cores);
  }

  private static void read(Source source, int number, Reader reader) {
    try {
      source.read(number, reader);
    } catch (Exception e) {
      System.err.printf("stream %d failed: %s%n", number, e);
    }
  }

  private static void report(String what, List<Reader> readers, Samples behind, double cores) {
    Samples gaps = new Samples();
    readers.forEach(reader -> gaps.addAll(reader.gaps));
    long tokens = readers.stream().mapToLong(reader -> reader.tokens).sum();
    long first = readers.stream().mapToLong(reader -> reader.firstNanos).min().orElse(0);
    long last = readers.stream().mapToLong(reader -> reader.lastNanos).max().orElse(1);
    double slowest = readers.stream().mapToDouble(Reader::perSecond).min().orElse(0);
    System.out.printf(
        Locale.ROOT,
        "%-8s %5.0f  %14.1f  %7.1f  %7.1f  %7.0f  %26.0f  %6.0f  %5.2f  %5d%n",
        what,
        tokens / ((last - first) / 1e9),
        slowest,
        gaps.quantile(0.5),
        gaps.quantile(0.99),
        gaps.quantile(1),
        behind.median(),
        behind.quantile(1),
        cores,
        readers.stream().filter(reader -> reader.changedWorker).count());
  }

  private static void direct(Engines engines, int number, int tokens, Reader reader)
      throws IOException {
    try (var connection = new EngineConnection(engines.uris().get(number % WORKERS))) {
      connection.chat(
          StreamedChat.body(MODEL, number, tokens),
          frame -> {
            int upTo = StreamedChat.completionTokens(frame);
            if (upTo > reader.tokens) {
              reader.received(upTo);
            }
          });
    }
  }

  private static void throughPool(SluiceClient client, int number, int tokens, Reader reader)
      throws InterruptedException, TimeoutException {
    var request =
        InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, StreamedChat.body(MODEL, number, tokens))
            .timeout(Duration.ofMinutes(5))
            .build();
    ReplyStream stream = client.submit(request);
    for (var event = stream.next(Duration.ofMinutes(1));
        event.isPresent();
        event = stream.next(Duration.ofMinutes(1))) {
      switch (event.get()) {
        case ReplyEvent.Tokens t when t.index() + t.count() > reader.tokens ->
            reader.received(t.index() + t.count());
        case ReplyEvent.Resumed _, ReplyEvent.Restarted _ -> reader.changedWorker = true;
        case ReplyEvent.Failed failed -> throw new IllegalStateException(failed.message());
        default -> {}
      }
    }
  }

  /** Returns the number of generated tokens by the engines' own count. */
  private static long generated(List<URI> engines) throws IOException, InterruptedException {
    long sum = 0;
    for (URI engine : engines) {
      var request = HttpRequest.newBuilder(engine.resolve("/metrics")).build();
      Matcher matcher = GENERATED.matcher(HTTP.send(request, BodyHandlers.ofString()).body());
      while (matcher.find()) {
        sum += (long) Double.parseDouble(matcher.group(1));
      }
    }
    return sum;
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
