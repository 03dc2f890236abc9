package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The way to more partitions that docs/operations.md gives: a second pool over the same engines
 * takes the callers over, and the first one is stopped when it has nothing left.
 */
class MovedPoolIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int PAUSE_MILLIS = 150;
  private static final int TOKENS = 40;

  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicReference<String> gateway = new AtomicReference<>();
  private final List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
  private final CountDownLatch enough = new CountDownLatch(1);
  private final List<SimulatedEngine> engines = new ArrayList<>();

  @BeforeEach
  void startEngines() throws Exception {
    for (int i = 0; i < 2; i++) {
      engines.add(
          SimulatedEngine.start(
              SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL))));
    }
  }

  @AfterEach
  void stop() {
    engines.forEach(SimulatedEngine::close);
    http.close();
  }

  @Test
  void aPoolWithMorePartitionsTakesOverUnderLoadAndNoRequestIsLost() throws Exception {
    // Given callers of a pool, and a response that it computes in the background
    try (LocalPool next = LocalPool.start(plan(4))) {
      Thread callers;
      try (LocalPool old = LocalPool.start(plan(2))) {
        gateway.set(old.gatewayUrl());
        callers = Thread.ofPlatform().start(this::callUntilEnough);
        awaitCalls(10);
        String response = background(old);

        // When they are sent to the other pool, and the first has nothing left
        gateway.set(next.gatewayUrl());
        awaitCalls(20);
        await().atMost(PATIENCE).until(() -> isEmpty(old));

        // Then it can still be asked for what it has stored
        assertThat(get(old.gatewayUrl() + "/v1/responses/" + response).path("status").asText())
            .isIn("completed", "incomplete");
      }
      awaitCalls(30);
      enough.countDown();
      callers.join();

      // And every call has its whole answer
      for (CompletableFuture<HttpResponse<String>> call : calls) {
        HttpResponse<String> answer = call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.mapper().readTree(answer.body()).at("/usage/completion_tokens").asInt())
            .isEqualTo(TOKENS);
      }
    }
  }

  private PoolPlan plan(int partitions) {
    List<URI> uris = engines.stream().map(SimulatedEngine::uri).toList();
    return PoolPlan.over(Ports.free(), uris, Optional.empty())
        .withWarmEngines()
        .withPartitions(partitions);
  }

  private void callUntilEnough() {
    try {
      do {
        synchronized (calls) {
          calls.add(http.sendAsync(chat(calls.size()), BodyHandlers.ofString(UTF_8)));
        }
      } while (!enough.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest chat(int number) {
    byte[] body = Requests.chat(PoolPlan.MODEL, "question " + number, TOKENS, false);
    return post(gateway.get() + "/v1/chat/completions", new String(body, UTF_8));
  }

  private static HttpRequest post(String url, String body) {
    return HttpRequest.newBuilder(URI.create(url))
        .header("content-type", "application/json")
        .timeout(PATIENCE)
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private void awaitCalls(int more) {
    int before = count();
    await().atMost(PATIENCE).until(() -> count() >= before + more);
  }

  private int count() {
    synchronized (calls) {
      return calls.size();
    }
  }

  private String background(LocalPool pool) throws Exception {
    String body =
        """
        {"model":"%s","input":"hello","background":true,"max_output_tokens":300}"""
            .formatted(PoolPlan.MODEL);
    HttpResponse<String> created =
        http.send(post(pool.gatewayUrl() + "/v1/responses", body), BodyHandlers.ofString(UTF_8));
    return Json.mapper().readTree(created.body()).path("id").asText();
  }

  private JsonNode get(String url) throws Exception {
    HttpRequest ask = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
    return Json.mapper().readTree(http.send(ask, BodyHandlers.ofString(UTF_8)).body());
  }

  /** Returns what an operator waits for: everything is read, nothing waits, and nothing runs. */
  private static boolean isEmpty(LocalPool pool) throws Exception {
    var metrics = new ServiceMetrics(pool.routerPort());
    double left = 0;
    for (String meter :
        List.of("sluice_router_lag_records", "sluice_router_pending", "sluice_router_leases")) {
      left += metrics.sum(meter).orElse(1);
    }
    return left == 0;
  }
}
