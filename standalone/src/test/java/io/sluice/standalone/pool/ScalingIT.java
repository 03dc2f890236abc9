package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.UnservedRequest;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.DecisionLog;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What two routers in separate processes tell an autoscaler about the pool. */
@ExtendWith(SharedBackends.class)
class ScalingIT {
  private static final int WAITING = 12;
  private static final int TOKENS = 400;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** Of this test alone, because the pool is shared. */
  private final String model = "scaled-" + UUID.randomUUID();

  private Backends backends;
  private ServiceProcesses processes;
  private PlainClient client;
  private int port;
  private int otherPort;
  private ServiceProcess other;

  private record Answer(int status, JsonNode body) {
    long of(String place) {
      return body.at(place).asLong(-1);
    }
  }

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    processes = new ServiceProcesses(shared);
    port = LocalPort.settle(0, "the router");
    otherPort = LocalPort.settle(0, "the other router");
    var starting = CompletableFuture.supplyAsync(() -> router("scaling", port));
    other = router("scaling-other", otherPort);
    starting.join();
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() {
    client.close();
    processes.close();
  }

  @Test
  void eitherRouterTellsOfTheWholePoolAndNoneOfAPartOfIt() throws Exception {
    // When requests of all partitions wait for a worker of their model
    List<String> sent = sendToAllPartitions();

    // Then
    for (int asked : List.of(port, otherPort)) {
      await()
          .atMost(PATIENCE)
          .until(() -> ask(asked), answer -> answer.of(at("waiting_requests")) == WAITING);
      Answer complete = ask(asked);
      assertThat(complete.of("/routers")).isEqualTo(2);
      assertThat(complete.of("/partitions")).isEqualTo(PoolPlan.LOCAL_PARTITIONS);
      assertThat(complete.of("/age_millis")).isBetween(0L, 5_000L);
      assertThat(complete.of(at("tokens"))).isGreaterThan((long) WAITING * TOKENS);
      assertThat(complete.body().at(at("slack_seconds")).asDouble()).isBetween(1.0, 600.0);
    }

    assertHeld(sent.getFirst());

    // When one of the routers is killed
    other.kill();

    // Then its share is never missing from an answer
    await().atMost(PATIENCE).until(() -> ask(port), answer -> answer.status() == 503);
    assertThat(ask(port).body().path("error").asText()).contains("partitions");
    Answer taken =
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  Answer answer = ask(port);
                  if (answer.status() == 200) {
                    assertThat(answer.of("/partitions")).isEqualTo(PoolPlan.LOCAL_PARTITIONS);
                  }
                  return answer;
                },
                answer -> answer.status() == 200);
    assertThat(taken.of("/routers")).isEqualTo(1);
    await().atMost(PATIENCE).until(() -> ask(port).of(at("waiting_requests")) == WAITING);

    // When a worker has taken them all, then it is not taken for an idle one
    try (SimulatedEngine engine =
        SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(model)))) {
      worker(engine);
      Answer busy =
          await()
              .atMost(PATIENCE)
              .until(() -> ask(port), answer -> answer.of(at("running_requests")) == WAITING);
      assertThat(busy.of(at("waiting_tokens"))).isZero();
      assertThat(busy.of(at("tokens"))).isEqualTo(busy.of(at("running_tokens"))).isPositive();
      assertThat(busy.of("/models/" + model + "/workers")).isEqualTo(1);

      // Then, when all are answered, nothing is left
      await().atMost(PATIENCE).until(() -> ask(port).of(at("tokens")) == 0);
      assertThat(ask(port).of(at("tokens_per_second"))).isPositive();
    }
  }

  @Test
  void withoutRedisThereIsOneErrorUntilItIsBack() throws Exception {
    await().atMost(PATIENCE).until(() -> ask(port).status() == 200);

    backends.stopRedis();
    Answer away;
    try {
      away = await().atMost(PATIENCE).until(() -> ask(port), answer -> answer.status() == 503);
    } finally {
      backends.startRedis();
    }

    assertThat(away.body().path("error").asText()).contains("check Redis");
    await().atMost(PATIENCE).until(() -> ask(port).status() == 200);
  }

  private String at(String figure) {
    return "/models/%s/interactive/%s".formatted(model, figure);
  }

  private static Answer ask(int port) throws Exception {
    var question =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/scaling".formatted(port)))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      var answer = HTTP.send(question, BodyHandlers.ofByteArray());
      return new Answer(answer.statusCode(), Json.tree(answer.body()));
    } catch (IOException e) {
      throw new AssertionError("the router does not answer: " + e, e);
    }
  }

  private void assertHeld(String id) {
    ClientConfig config = ClientConfig.at(backends.kafkaBootstrapServers());
    UnservedRequest unserved =
        await()
            .atMost(PATIENCE)
            .until(() -> DecisionLog.story(config, id).unserved(), Optional::isPresent)
            .orElseThrow();
    assertThat(unserved.model()).isEqualTo(model);
    assertThat(unserved.known()).isTrue();
    assertThat(unserved.untilEpochMillis() - unserved.sinceEpochMillis())
        .isBetween(500_000L, 600_000L);
  }

  private List<String> sendToAllPartitions() throws Exception {
    List<String> sent = new ArrayList<>();
    while (sent.size() < WAITING) {
      String id = UUID.randomUUID().toString();
      if (Partitions.of(id, PoolPlan.LOCAL_PARTITIONS) == sent.size() % PoolPlan.LOCAL_PARTITIONS) {
        client.send(
            "sluice.requests.2k",
            id,
            Requests.chat(model, "scale", TOKENS, true),
            Map.of("request-id", id, "timeout-ms", "600000"));
        sent.add(id);
      }
    }
    return sent;
  }

  private ServiceProcess router(String id, int at) {
    return processes.router(id, at, model + "=16384");
  }

  private void worker(SimulatedEngine engine) {
    processes.worker("scaled", 0, engine.uri());
  }
}
