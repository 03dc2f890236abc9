package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.app.Gateway;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What HTTP clients see while parts of the pool fail: two workers and two gateways. */
@ExtendWith(SharedBackends.class)
class GatewayFailureIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final SimulatorConfig ENGINE =
      SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));
  private static final int TOKENS = 200;

  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;
  private Gateway other;

  @BeforeEach
  void start(Backends backends) throws Exception {
    List<WorkerPlan> workers =
        Stream.of("a", "b")
            .map(
                id ->
                    new WorkerPlan(
                        id, Optional.empty(), new WorkerPlan.Engine.Simulated(ENGINE), 16))
            .toList();
    pool =
        LocalPool.start(
            PoolPlanBuilder.builder()
                .ports(Ports.free())
                .access(Map.of())
                .gatewayVariables(Map.of())
                .exposure(Exposure.NONE)
                .partitions(PoolPlan.LOCAL_PARTITIONS)
                .models(PoolPlan.MODEL + "=16384")
                .fallbacks("")
                .workers(workers)
                .kafka(Optional.of(backends.kafkaBootstrapServers()))
                .redis(Optional.of(backends.redisUri()))
                .build());
    other = Pools.gateway(pool);
  }

  @AfterEach
  void stop() {
    other.close();
    pool.close();
  }

  @Test
  void aStreamGoesOnWhenItsWorkerIsKilled() throws Exception {
    // Given
    HttpResponse<InputStream> response =
        http.send(request(pool.gatewayPort(), true, "0"), BodyHandlers.ofInputStream());
    StringBuilder text = new StringBuilder();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
      text.append(content(lines.readLine()));

      // When
      serving().kill();

      // Then
      String last = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line.isEmpty() ? last : line;
        text.append(content(line));
      }
      assertThat(last).isEqualTo("data: [DONE]");
    }
    assertThat(text.toString()).isEqualTo(whole(answer(request(other.port(), false, "0"))));
  }

  @Test
  void aRetryAtAnotherGatewayGetsTheAnswerThatTheFirstOneBegan() throws Exception {
    // Given
    CompletableFuture<HttpResponse<String>> first =
        http.sendAsync(request(other.port(), false, "0"), BodyHandlers.ofString());
    serving();

    // When
    other.kill();
    await().atMost(PATIENCE).until(first::isDone);
    JsonNode answer = answer(request(pool.gatewayPort(), false, "1"));

    // Then
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(TOKENS);
    assertThat(
            pool.workers().stream().mapToDouble(w -> meter(w, "sluice_worker_tokens_total")).sum())
        .isEqualTo(TOKENS);
  }

  @Test
  void aResponseThatItsGatewayDidNotSendIsSentByTheOneThatWaitsForIt() throws Exception {
    // Given: a gateway wrote the record and died 8 s ago, so that 2 s later another one may send it
    String id = RequestId.next();
    long now = System.currentTimeMillis();
    record(
        id,
        """
        {"v":1,"type":"created","tenant":"default","created_at":%d,"deadline":%d,"headers":{},\
        "request":{"model":"%s","input":"Hello","background":true},"messages":[]}"""
            .formatted(now - 8_000, now + 60_000, PoolPlan.MODEL));

    try (Gateway reading = Pools.gateway(pool, Map.of("keep-alive-seconds", "0.5"))) {
      // When
      String events =
          http.send(
                  HttpRequest.newBuilder(
                          URI.create(
                              "http://127.0.0.1:%d/v1/responses/resp_%s?stream=true"
                                  .formatted(reading.port(), id)))
                      .timeout(PATIENCE)
                      .build(),
                  BodyHandlers.ofString())
              .body();

      // Then
      assertThat(events).contains("event: response.queued\n", "event: response.completed\n");
    }
  }

  private void record(String requestId, String json) throws Exception {
    Map<String, Object> settings = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, pool.kafka());
    try (var producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>("sluice.responses", requestId, json)).get();
    }
  }

  @Test
  void aGatewayThatStopsLetsItsRequestsFinish() throws Exception {
    // Given
    CompletableFuture<HttpResponse<String>> running =
        http.sendAsync(request(other.port(), true, "0"), BodyHandlers.ofString());
    serving();

    // When
    other.close();

    // Then
    assertThat(running.get().body()).endsWith("data: [DONE]\n\n");
  }

  /** Returns the worker that runs the only request, as soon as one does. */
  private Worker serving() {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                pool.workers().stream()
                    .filter(worker -> meter(worker, "sluice_worker_running") > 0)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static double meter(Worker worker, String name) {
    try {
      return new ServiceMetrics(worker.httpPort()).sum(name).orElse(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  private JsonNode answer(HttpRequest request) throws Exception {
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return Json.mapper().readTree(response.body());
  }

  private static String whole(JsonNode answer) {
    return answer.at("/choices/0/message/content").asText();
  }

  private static String content(String line) throws IOException {
    return line.startsWith("data: {")
        ? Json.mapper()
            .readTree(line.substring("data: ".length()))
            .at("/choices/0/delta/content")
            .asText("")
        : "";
  }

  private static HttpRequest request(int port, boolean stream, String retryCount) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .header("x-stainless-retry-count", retryCount)
        .timeout(Duration.ofMinutes(1))
        .POST(
            BodyPublishers.ofString(
                """
                {"model":"%s","messages":[{"role":"user","content":"survive"}],"max_tokens":%d,\
                "temperature":0,"ignore_eos":true,"stream":%b}"""
                    .formatted(PoolPlan.MODEL, TOKENS, stream)))
        .build();
  }
}
