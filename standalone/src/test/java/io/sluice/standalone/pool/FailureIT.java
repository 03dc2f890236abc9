package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.cli.operations.WorkerDrainCommand;
import io.sluice.cli.operations.WorkerResumeCommand;
import io.sluice.common.protocol.Topics;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RedissonClient;
import picocli.CommandLine;

/**
 * What callers see while parts of the pool fail: two workers, each with its own engine behind a
 * network that can fail.
 */
@ExtendWith(SharedBackends.class)
class FailureIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));
  private static final int TOKENS = 120;

  /** Takes longer than a local worker's drain grace. */
  private static final int DRAINED_TOKENS = 400;

  private final List<SimulatedEngine> engines = new ArrayList<>();
  private final List<FaultyProxy> networks = new ArrayList<>();
  private Backends backends;
  private LocalPool pool;
  private PlainClient client;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    List<WorkerPlan> workers = new ArrayList<>();
    for (String id : List.of("a", "b")) {
      engines.add(SimulatedEngine.start(CONFIG));
      networks.add(new FaultyProxy(engines.getLast().uri()));
      workers.add(new WorkerPlan(id, Optional.empty(), Pools.warm(networks.getLast().uri()), 16));
    }
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
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    pool.close();
    for (FaultyProxy network : networks) {
      network.close();
    }
    engines.forEach(SimulatedEngine::close);
  }

  @Test
  void aStreamGoesOnAtAnotherWorkerWhenItsOwnIsKilled() throws Exception {
    assertSurvives(worker -> pool.workers().get(worker).kill());
  }

  @Test
  void aStreamGoesOnWhenItsEngineIsKilled() throws Exception {
    assertSurvives(worker -> engines.get(worker).kill());
  }

  @Test
  void aWorkerWhoseEngineDiesIsAvoidedUntilItsEngineIsBack() throws Exception {
    RedissonClient redis = RedisConnection.open(backends.redisUri());
    try {
      // When
      FleetRegistry registry = new RedisFleetRegistry(redis, "default");
      int port = engines.getFirst().port();
      engines.getFirst().kill();

      // Then
      await().atMost(PATIENCE).until(() -> breaker(registry).engineDead());
      assertThat(servedBy(send("meanwhile", 5))).isEqualTo("b");

      // When the engine is back, and the other worker takes nothing
      engines.set(0, SimulatedEngine.start(CONFIG.withPort(port)));
      assertThat(operate(new WorkerDrainCommand(), "b")).isZero();

      // Then
      assertThat(servedBy(send("afterwards", 5))).isEqualTo("a");
      assertThat(breaker(registry).engineDead()).isFalse();
    } finally {
      redis.shutdown();
      assertThat(operate(new WorkerResumeCommand(), "b")).isZero();
    }
  }

  private static BreakerState breaker(FleetRegistry registry) throws Exception {
    return registry.readAll().toCompletableFuture().get(10, TimeUnit.SECONDS).breaker("a");
  }

  private String servedBy(String id) {
    PlainClient.Answer answer = client.read(Topics.REPLIES, id);
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    return PlainClient.header(answer.records().getLast(), "worker").orElseThrow();
  }

  @Test
  void aStreamGoesOnWhenItsConnectionIsCut() throws Exception {
    assertSurvives(worker -> networks.get(worker).cut());
  }

  @Test
  void aStreamGoesOnWhenTheEngineBabbles() throws Exception {
    assertSurvives(worker -> networks.get(worker).set(FaultyProxy.Fault.GARBLE));
  }

  @Test
  void aStreamGoesOnWhenTheEngineFallsSilent() throws Exception {
    assertSurvives(worker -> networks.get(worker).set(FaultyProxy.Fault.STALL));
  }

  @Test
  void aStreamGoesOnWhenItsWorkerIsDrainedByTheOperator() throws Exception {
    List<String> ids = List.of("a", "b");
    assertSurvives(
        DRAINED_TOKENS,
        worker -> {
          assertThat(operate(new WorkerDrainCommand(), ids.get(worker))).isZero();
          assertThat(operate(new WorkerDrainCommand(), ids.get(1 - worker), "--no-wait")).isZero();
          assertThat(operate(new WorkerResumeCommand(), ids.get(1 - worker))).isZero();
        });
    for (String id : ids) {
      assertThat(operate(new WorkerResumeCommand(), id)).isZero();
    }
    assertThat(operate(new WorkerDrainCommand(), "c")).isEqualTo(1);
    assertThat(client.read(Topics.REPLIES, send("after all", TOKENS)).ok()).isTrue();
  }

  private int operate(Object command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--redis", backends.redisUri()));
    return new CommandLine(command)
        .setExecutionExceptionHandler((failure, failed, parsed) -> 1)
        .execute(all.toArray(String[]::new));
  }

  @Test
  void aStreamGoesOnWhileRedisIsAwayAndAfterItComesBackEmpty() throws Exception {
    String during = send("during the outage", TOKENS);
    awaitTokens(during);
    backends.stopRedis();
    try {
      assertThat(client.read(Topics.REPLIES, during).ok()).isTrue();
      String whileAway = send("while Redis is away", TOKENS);
      assertThat(client.read(Topics.REPLIES, whileAway).ok()).isTrue();
    } finally {
      backends.startRedis();
    }
    assertThat(client.read(Topics.REPLIES, send("after it is back", TOKENS)).ok()).isTrue();
  }

  /**
   * Disturbs the worker in mid-stream; the caller must read the same text as in an undisturbed run.
   */
  private void assertSurvives(ThrowingConsumer disturbance) throws Exception {
    assertSurvives(TOKENS, disturbance);
  }

  private void assertSurvives(int tokens, ThrowingConsumer disturbance) throws Exception {
    // Given
    String prompt = "tell me of " + UUID.randomUUID();
    PlainClient.Answer undisturbed = client.read(Topics.REPLIES, send(prompt, tokens));
    assertThat(undisturbed.ok()).isTrue();

    // When
    String id = send(prompt, tokens);
    disturbance.accept(workerOf(id));
    PlainClient.Answer disturbed = client.read(Topics.REPLIES, id);

    // Then
    assertThat(disturbed.ok()).as("ended well: %s", disturbed.last()).isTrue();
    assertThat(disturbed.attempts()).isGreaterThan(1);
    assertThat(disturbed.text()).isEqualTo(undisturbed.text());
    assertThat(disturbed.tokens()).isEqualTo(tokens);
  }

  @FunctionalInterface
  private interface ThrowingConsumer {
    void accept(int worker) throws Exception;
  }

  private String send(String prompt, int tokens) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send("sluice.requests.2k", id, Requests.chat(prompt, tokens), Map.of("request-id", id));
    return id;
  }

  /** Returns the worker that streams the request, once it has begun. */
  private int workerOf(String id) {
    var first = awaitTokens(id);
    String worker = PlainClient.header(first.getFirst(), "worker").orElseThrow();
    return worker.equals("a") ? 0 : 1;
  }

  private List<org.apache.kafka.clients.consumer.ConsumerRecord<String, byte[]>> awaitTokens(
      String id) {
    return client.collect(
        Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
  }
}
