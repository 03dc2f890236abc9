package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.fleet.FleetRegistry;
import io.sluice.common.fleet.RedisConnection;
import io.sluice.common.fleet.RedisFleetRegistry;
import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

/** A pool with one engine, which is all that many have, and which starts anew now and then. */
@ExtendWith(SharedBackends.class)
class OneEngineIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int TOKENS = 120;
  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));

  private SimulatedEngine engine;
  private RedissonClient redis;
  private FleetRegistry registry;
  private LocalPool pool;
  private PlainClient client;

  @BeforeEach
  void start(Backends backends) throws Exception {
    engine = SimulatedEngine.start(CONFIG);
    redis = RedisConnection.open(backends.redisUri());
    registry = new RedisFleetRegistry(redis, "default");
    pool =
        LocalPool.start(
            PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                .using(
                    Optional.of(backends.kafkaBootstrapServers()),
                    Optional.of(backends.redisUri())));
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    pool.close();
    engine.close();
    redis.shutdown();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 6})
  void streamsSurviveTheRestartOfTheOnlyEngine(int streams) throws Exception {
    // Given
    String prompt = "tell me of " + UUID.randomUUID();
    PlainClient.Answer undisturbed = client.read(Topics.REPLIES, send(prompt));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      ids.add(send(prompt));
    }
    ids.forEach(this::awaitTokens);

    // When
    int port = engine.port();
    engine.kill();
    await().atMost(PATIENCE).until(this::isEngineDead);
    String meanwhile = send(prompt);
    engine = SimulatedEngine.start(CONFIG.withPort(port));

    // Then
    for (String id : ids) {
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);
      assertThat(answer.ok()).as("ended well: %s", answer.last()).isTrue();
      assertThat(answer.text()).isEqualTo(undisturbed.text());
      assertThat(answer.tokens()).isEqualTo(TOKENS);
    }
    assertThat(client.read(Topics.REPLIES, meanwhile).attempts()).isOne();
  }

  private boolean isEngineDead() throws Exception {
    return registry
        .readAll()
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS)
        .breaker("worker-1")
        .engineDead();
  }

  private String send(String prompt) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send("sluice.requests.2k", id, Requests.chat(prompt, TOKENS), Map.of("request-id", id));
    return id;
  }

  private void awaitTokens(String id) {
    var _ =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
  }
}
