package io.sluice.standalone.measure;

import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures how soon a second client that attaches to many streams in progress has their beginnings,
 * and how late further tokens reach it, compared with the client that sent the requests. Arguments:
 * the numbers of streams.
 */
public final class AttachedReaders {
  private static final int TOKENS = 600;
  private static final int WORKERS = 4;
  private static final String MODEL = "measured";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration UNDER_WAY = Duration.ofSeconds(3);
  private static final SimulatorConfig ENGINE = EngineServer.config(1).withModels(List.of(MODEL));

  private AttachedReaders() {}

  /** When each token reached one of the clients, by request and index. */
  private record Token(String requestId, int index) {}

  public static void main(String[] args) throws Exception {
    List<String> counts = args.length == 0 ? List.of("1", "10", "50", "100") : List.of(args);
    QuietLog.set();
    System.out.printf("%d tokens each, %d engines%n", TOKENS, WORKERS);
    System.out.println(
        "streams  first tokens: p50 ms    max ms  later tokens behind the sender: p50 ms    p99 ms    max ms");
    for (String count : counts) {
      measure(Integer.parseInt(count));
    }
    System.exit(0);
  }

  private static void measure(int streams) throws Exception {
    try (Engines engines = Engines.start(ENGINE, WORKERS);
        LocalPool pool =
            LocalPool.start(PoolPlan.over(Ports.free(), engines.uris(), Optional.empty()));
        SluiceClient sender = SluiceClient.connect(ClientConfig.at(pool.kafka()));
        SluiceClient reader = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
      Map<Token, Long> sent = new ConcurrentHashMap<>();
      List<String> ids = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        ReplyStream stream =
            sender.submit(
                InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, StreamedChat.body(MODEL, i, TOKENS))
                    .build());
        ids.add(stream.requestId());
        threads.add(Thread.startVirtualThread(() -> read(stream, sent)));
      }
      Thread.sleep(UNDER_WAY);
      long attachedNanos = System.nanoTime();
      Map<String, Map<Token, Long>> attached = new ConcurrentHashMap<>();
      for (String id : ids) {
        Map<Token, Long> times = new ConcurrentHashMap<>();
        attached.put(id, times);
        ReplyStream stream = reader.attach(id, AttachOptions.standard());
        threads.add(Thread.startVirtualThread(() -> read(stream, times)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      report(streams, attachedNanos, sent, attached);
    }
  }

  private static void read(ReplyStream stream, Map<Token, Long> times) {
    try {
      for (var event = stream.next(PATIENCE); event.isPresent(); event = stream.next(PATIENCE)) {
        if (event.get() instanceof ReplyEvent.Tokens tokens) {
          times.put(new Token(stream.requestId(), tokens.index()), System.nanoTime());
        }
      }
    } catch (Exception e) {
      System.err.printf("stream %s failed: %s%n", stream.requestId(), e);
    }
  }

  private static void report(
      int streams,
      long attachedNanos,
      Map<Token, Long> sent,
      Map<String, Map<Token, Long>> attached) {
    Samples first = new Samples();
    Samples behind = new Samples();
    for (Map<Token, Long> times : attached.values()) {
      OptionalLong earliest = times.values().stream().mapToLong(Long::longValue).min();
      earliest.ifPresent(nanos -> first.addMillis(nanos - attachedNanos));
      times.forEach(
          (token, nanos) -> {
            Long atSender = sent.get(token);
            if (atSender != null && atSender > attachedNanos) {
              behind.addMillis(nanos - atSender);
            }
          });
    }
    System.out.printf(
        Locale.ROOT,
        "%7d  %20.0f  %8.0f  %38.1f  %8.1f  %8.1f%n",
        streams,
        first.median(),
        first.quantile(1),
        behind.median(),
        behind.quantile(0.99),
        behind.quantile(1));
  }
}
