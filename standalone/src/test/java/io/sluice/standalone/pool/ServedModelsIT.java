package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RedissonClient;

/** A pool over an engine, as {@code up --engine} starts it: without a configured catalog. */
@ExtendWith(SharedBackends.class)
class ServedModelsIT {
  private static final String LANE = "sluice.requests.2k";

  @Test
  void whatTheEngineDoesNotServeIsRefusedLongBeforeItsDeadline(Backends backends) throws Exception {
    // Given
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.RTX4090)
            .withModels(List.of(PoolPlan.MODEL, "adapter"))
            .withMaxModelLen(2_048);
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        LocalPool pool = start(engine, backends);
        PlainClient client = new PlainClient(pool.kafka())) {
      // When
      String unknown = send(client, Requests.chat("typo", "a question", 5, true));
      String tooLong = send(client, Requests.chat("sea ".repeat(4_000), 5));
      String adapted = send(client, Requests.chat("adapter", "a question", 5, true));

      // Then
      assertThat(refusal(client, unknown)).contains("model_not_found", "adapter");
      assertThat(refusal(client, tooLong)).contains("context_length_exceeded", "2048");
      assertThat(client.read(Topics.REPLIES, adapted).ok()).isTrue();
    }
  }

  @Test
  void promptsAreJudgedByWhatTheEngineSaidOfEarlierOnes(Backends backends) throws Exception {
    // Given
    String model = "learned-" + UUID.randomUUID();
    SimulatorConfig config = SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(model));
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        LocalPool pool = start(engine, backends);
        PlainClient client = new PlainClient(pool.kafka())) {
      byte[] question = Requests.chat(model, "incomprehensibilities ".repeat(50), 2, false);

      // When each answer is heard of before the next question
      RoutingDecision decision = decisionOn(client, question);
      for (int asked = 1; asked < 20 && isAsEstimated(decision); asked++) {
        decision = decisionOn(client, question);
      }

      // Then
      PlainClient.Answer answer = client.read(Topics.REPLIES, decision.requestId());
      double told = answer.last().at("/usage/prompt_tokens").asInt();
      assertThat(decision.estimatedTokens()).isNotEqualTo(Math.round(told));
      assertThat((double) decision.promptTokens()).isCloseTo(told, withinPercentage(5));
    }
  }

  @Test
  void promptsAreJudgedByWhatAnotherRouterHasLearned(Backends backends) throws Exception {
    // Given
    String model = "heard-" + UUID.randomUUID();
    SimulatorConfig config = SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(model));
    RedissonClient redis = RedisConnection.open(backends.redisUri());
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        LocalPool pool = start(engine, backends);
        PlainClient client = new PlainClient(pool.kafka())) {
      var reports = new RouterReports(redis, "default");
      var report =
          new RouterReport(
              "another",
              List.of(),
              Map.of(model, 2.0),
              List.of(),
              List.of(),
              List.of(),
              0,
              List.of());
      // A router learns nothing from so short a prompt.
      byte[] question = Requests.chat(model, "hi", 2, false);

      // When
      RoutingDecision decision =
          await()
              .atMost(Duration.ofSeconds(30))
              .until(
                  () -> {
                    reports.publish(report).toCompletableFuture().join();
                    return decisionOn(client, question);
                  },
                  latest -> !isAsEstimated(latest));

      // Then
      assertThat(decision.promptTokens()).isEqualTo(2 * decision.estimatedTokens());
    } finally {
      redis.shutdown();
    }
  }

  private static boolean isAsEstimated(RoutingDecision decision) {
    return decision.promptTokens() == decision.estimatedTokens();
  }

  private static RoutingDecision decisionOn(PlainClient client, byte[] body) throws Exception {
    String id = send(client, body);
    assertThat(client.read(Topics.REPLIES, id).ok()).isTrue();
    var found =
        client.collect(
            Topics.DECISIONS,
            record ->
                RoutingDecision.parse(record.value())
                    .filter(decision -> decision.requestId().equals(id))
                    .isPresent(),
            records -> !records.isEmpty());
    return RoutingDecision.parse(found.getFirst().value()).orElseThrow();
  }

  private static LocalPool start(SimulatedEngine engine, Backends backends)
      throws InterruptedException {
    return LocalPool.start(
        PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
            .withWarmEngines()
            .using(
                Optional.of(backends.kafkaBootstrapServers()), Optional.of(backends.redisUri())));
  }

  private static String refusal(PlainClient client, String id) {
    return String.valueOf(client.read(Topics.REPLIES, id).last());
  }

  private static String send(PlainClient client, byte[] body) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send(LANE, id, body, Map.of("request-id", id, "timeout-ms", "600000"));
    return id;
  }
}
