package io.sluice.standalone.measure;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how long a gateway takes to return a stored response by its id, asked by one and by
 * several callers. One gateway creates the responses; another one, which knows none of them, is
 * asked. Arguments: stored responses, questions of each round, numbers of callers.
 */
public final class ResponsesById {
  private static final int CREATORS = 48;
  private static final long SEED = 1;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ResponsesById() {}

  public static void main(String[] args) throws Exception {
    List<String> given = args.length == 0 ? List.of("10000", "1000", "1", "8") : List.of(args);
    int stored = Integer.parseInt(given.get(0));
    int questions = Integer.parseInt(given.get(1));
    QuietLog.set();
    try (LocalPool pool = LocalPool.start(PoolPlan.simulated(Ports.free(), 3, Optional.empty()))) {
      List<String> ids = create(stored, pool.gatewayPort());
      System.out.printf("%d stored responses%n", ids.size());
      System.out.println("gateway      callers   p50 ms    p99 ms    max ms  per second");
      for (String callers : given.subList(2, given.size())) {
        try (Gateway other = other(pool)) {
          ask("another one", ids, questions, Integer.parseInt(callers), other.port());
          ask("the same", ids, questions, Integer.parseInt(callers), other.port());
        }
      }
    }
    System.exit(0);
  }

  private static Gateway other(LocalPool pool) {
    return Gateway.start(
        GatewayConfig.of(
            Map.of(
                "port", "0", "access-log", "false", "kafka", pool.kafka(), "redis", pool.redis())));
  }

  private static List<String> create(int count, int port) throws Exception {
    ConcurrentLinkedQueue<String> ids = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(count);
    each(
        CREATORS,
        () -> {
          for (int i = left.getAndDecrement(); i > 0; i = left.getAndDecrement()) {
            ids.add(create(i, URI.create("http://127.0.0.1:" + port + "/v1/responses")));
          }
        });
    return new ArrayList<>(ids);
  }

  private static String create(int number, URI responses) throws Exception {
    String body =
        "{\"model\":\"sluice-8b\",\"max_output_tokens\":16,\"input\":\"Tell me about %d.\"}"
            .formatted(number);
    JsonNode response =
        sent(
            HttpRequest.newBuilder(responses)
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    return response.path("id").asText();
  }

  private static void ask(String gateway, List<String> ids, int questions, int callers, int port)
      throws Exception {
    Samples times = new Samples();
    AtomicInteger left = new AtomicInteger(questions);
    SplittableRandom random = new SplittableRandom(SEED);
    List<String> asked = random.ints(questions, 0, ids.size()).mapToObj(ids::get).toList();
    long beganNanos = System.nanoTime();
    each(
        callers,
        () -> {
          for (int i = left.decrementAndGet(); i >= 0; i = left.decrementAndGet()) {
            long sentNanos = System.nanoTime();
            get(asked.get(i), port);
            times.addMillis(System.nanoTime() - sentNanos);
          }
        });
    double seconds = (System.nanoTime() - beganNanos) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%-11s  %7d  %7.1f  %8.1f  %8.1f  %10.0f%n",
        gateway,
        callers,
        times.median(),
        times.quantile(0.99),
        times.quantile(1),
        questions / seconds);
  }

  private static void get(String id, int port) throws Exception {
    URI response = URI.create("http://127.0.0.1:" + port + "/v1/responses/" + id);
    JsonNode found = sent(HttpRequest.newBuilder(response).build());
    if (!found.path("id").asText().equals(id) || found.path("output").isEmpty()) {
      throw new IllegalStateException("not the response " + id + ": " + found);
    }
  }

  private static JsonNode sent(HttpRequest request) throws Exception {
    HttpResponse<byte[]> response = HTTP.send(request, BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IllegalStateException("status " + response.statusCode());
    }
    return Json.mapper().readTree(response.body());
  }

  /** Part of the work, done by one of several threads. */
  private interface Share {
    void run() throws Exception;
  }

  private static void each(int threads, Share share) throws Exception {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> shares = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        shares.add(
            executor.submit(
                () -> {
                  share.run();
                  return null;
                }));
      }
      for (Future<?> running : shares) {
        running.get();
      }
    }
  }
}
