package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Topics;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fault.Fault;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RedissonClient;

/** Routers and workers in separate processes, killed and frozen by signals. */
@ExtendWith(SharedBackends.class)
class SeparateProcessesIT {
  private static final int TOKENS = 200;
  private static final int SLOTS = 6;

  /**
   * About 20 s at the engine's pace, even if a busy machine looks late; they are cancelled then.
   */
  private static final int PROBE_TOKENS = 1_900;

  /** Three times as many as the two workers can hold. */
  private static final int MANY = 36;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String LANE = "sluice.requests.2k";

  private final Map<String, ServiceProcess> workers = new ConcurrentHashMap<>();
  private final Map<String, SimulatedEngine> engines = new HashMap<>();
  private Backends backends;
  private ServiceProcesses processes;
  private PlainClient client;
  private ServiceProcess router;
  private int routerPort;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    processes = new ServiceProcesses(shared);
    routerPort = LocalPort.settle(0, "the router");
    CompletableFuture<ServiceProcess> routerStart =
        CompletableFuture.supplyAsync(() -> router("separate", routerPort));
    for (String id : List.of("p1", "p2")) {
      SimulatorConfig config =
          SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));
      engines.put(id, SimulatedEngine.start(config));
    }
    engines.keySet().parallelStream().forEach(id -> startWorker(id, 0));
    router = routerStart.join();
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() {
    client.close();
    processes.close();
    engines.values().forEach(SimulatedEngine::close);
  }

  @Test
  void aStreamSurvivesTheDeathAndTheFreezingOfWorkersAndTheDeathOfTheRouter() throws Exception {
    // Given
    String prompt = "survive " + UUID.randomUUID();
    String undisturbed = client.read(Topics.REPLIES, send(prompt)).text();

    // When its worker is frozen in mid-stream
    String frozen = send(prompt);
    String its = workerOf(frozen);
    workers.get(its).signal("STOP");
    PlainClient.Answer afterFreeze = client.read(Topics.REPLIES, frozen);
    workers.get(its).signal("CONT");

    // Then
    assertThat(afterFreeze.ok()).as("%s", afterFreeze.last()).isTrue();
    assertThat(afterFreeze.text()).isEqualTo(undisturbed);

    // When the worker goes on, then what it still publishes changes nothing, and it is used again
    // for more than the other one has slots for
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(sendMany(SLOTS + 1, prompt, TOKENS).stream().map(this::servedBy))
                    .contains(its));
    assertThat(client.read(Topics.REPLIES, frozen).text()).isEqualTo(undisturbed);

    // When the router is killed in mid-stream
    String orphaned = send(prompt);
    workerOf(orphaned);
    router.kill();
    PlainClient.Answer withoutRouter = client.read(Topics.REPLIES, orphaned);

    // Then the stream ends all the same, and another router takes over
    assertThat(withoutRouter.text()).isEqualTo(undisturbed);
    assertThat(withoutRouter.ok()).isTrue();
    assertThat(withoutRouter.attempts()).isEqualTo(1);
    router = router("separate", LocalPort.settle(0, "the router"));
    assertThat(client.read(Topics.REPLIES, send(prompt)).text()).isEqualTo(undisturbed);

    // When its worker is killed in mid-stream
    String killed = send(prompt);
    workers.get(workerOf(killed)).kill();
    PlainClient.Answer afterKill = client.read(Topics.REPLIES, killed);

    // Then
    assertThat(afterKill.ok()).as("%s", afterKill.last()).isTrue();
    assertThat(afterKill.text()).isEqualTo(undisturbed);
    assertThat(router.terminate()).isIn(0, 143);
  }

  @Test
  void whatWaitsAndWhatRunsIsAnsweredAsIfUndisturbedWhenOneOfTwoRoutersIsKilled() throws Exception {
    // Given
    startOtherRouter();
    String prompt = "wait for me " + UUID.randomUUID();
    String undisturbed = client.read(Topics.REPLIES, send(prompt)).text();
    List<String> ids = sendMany(MANY, prompt, TOKENS);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                value(routerPort, "sluice_router_pending") > 0
                    && value(routerPort, "sluice_router_leases") > 0
                    && whatWasSentIsCommitted());

    // When
    router.kill();

    // Then
    for (String id : ids) {
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);
      assertThat(answer.ok()).as("%s", answer.last()).isTrue();
      assertThat(answer.text()).isEqualTo(undisturbed);
    }
  }

  @Test
  void aHalfOpenWorkerRunsThreeProbesThoughTwoRoutersHaveMoreForIt() throws Exception {
    // Given a worker that was broken when it was stopped
    int otherPort = startOtherRouter();
    for (ServiceProcess worker : workers.values()) {
      assertThat(worker.terminate()).isIn(0, 143);
    }
    trip("p1");
    List<String> probes = sendMany(8, "probe " + UUID.randomUUID(), PROBE_TOKENS);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                value(routerPort, "sluice_router_pending") > 0
                    && value(otherPort, "sluice_router_pending") > 0);

    // When its engine is slow to start an answer
    engines.get("p1").faults().add(Fault.parse("engine-slow=200"));
    int workerPort = LocalPort.settle(0, "the worker");
    startWorker("p1", workerPort);

    // Then, before the probes stream well, which closes the breaker
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              double running = value(workerPort, "sluice_worker_running");
              assertThat(running).isLessThanOrEqualTo(3);
              return running == 3;
            });

    // When
    engines.get("p1").faults().set(List.of());
    for (String id : probes) {
      client.send(Topics.CONTROL, id, new Control.Cancel(id).toJson(), Map.of());
    }
    List<String> ids = sendMany(8, "served " + UUID.randomUUID(), 5);

    // Then short probes close the breaker, and the others are served
    for (String id : ids) {
      assertThat(client.read(Topics.REPLIES, id).ok()).isTrue();
    }
    assertThat(value(workerPort, "sluice_worker_breaker")).isZero();
  }

  /** Starts a second router; returns its port once each router has heard of what the other sent. */
  private int startOtherRouter() throws Exception {
    int port = LocalPort.settle(0, "the other router");
    router("other", port);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              client.read(Topics.REPLIES, send("told " + UUID.randomUUID(), 5));
              return value(port, "sluice_router_peers_published_total") > 0
                  && value(port, "sluice_router_peers_received_total") > 0;
            });
    assertThat(value(port, "sluice_router_peers_dropped_total")).isZero();
    return port;
  }

  /**
   * A router that takes over reads none of the records again, and knows the requests only from the
   * changelog.
   */
  private boolean whatWasSentIsCommitted() throws Exception {
    try (Admin admin =
        Admin.create(
            Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, backends.kafkaBootstrapServers()))) {
      var committed =
          admin.listConsumerGroupOffsets("sluice-router").partitionsToOffsetAndMetadata().get();
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      for (int partition = 0; partition < PoolPlan.LOCAL_PARTITIONS; partition++) {
        latest.put(new TopicPartition(LANE, partition), OffsetSpec.latest());
      }
      return admin.listOffsets(latest).all().get().entrySet().stream()
          .allMatch(
              end ->
                  end.getValue().offset() == 0
                      || committed.containsKey(end.getKey())
                          && committed.get(end.getKey()).offset() == end.getValue().offset());
    }
  }

  /** Trips the breaker, as five consecutive failures do. */
  private void trip(String worker) throws Exception {
    RedissonClient redis = RedisConnection.open(backends.redisUri());
    try {
      new RedisFleetRegistry(redis, "default")
          .applyToBreaker(
              worker,
              List.of(
                  new BreakerEvent.Timed(new BreakerEvent.Tripped(), System.currentTimeMillis())))
          .toCompletableFuture()
          .get(10, TimeUnit.SECONDS);
    } finally {
      redis.shutdown();
    }
  }

  private static double value(int port, String metric) throws InterruptedException {
    return new ServiceMetrics(port).sum(metric).orElse(0);
  }

  private void startWorker(String id, int port) {
    workers.put(
        id,
        processes.worker(
            id, port, engines.get(id).uri(), "--max-concurrent", Integer.toString(SLOTS)));
  }

  private ServiceProcess router(String id, int port) {
    return processes.router(id, port, PoolPlan.MODEL + "=16384");
  }

  private String send(String prompt) throws Exception {
    return send(prompt, TOKENS);
  }

  private String send(String prompt, int tokens) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send(LANE, id, Requests.chat(prompt, tokens), Map.of("request-id", id));
    return id;
  }

  /** Sends to all partitions in turn, so that each router gets its share. */
  private List<String> sendMany(int count, String prompt, int tokens) throws Exception {
    List<String> ids = new ArrayList<>();
    while (ids.size() < count) {
      String id = UUID.randomUUID().toString();
      int next = ids.size() % PoolPlan.LOCAL_PARTITIONS;
      if (Partitions.of(id, PoolPlan.LOCAL_PARTITIONS) == next) {
        client.send(LANE, id, Requests.chat(prompt, tokens), Map.of("request-id", id));
        ids.add(id);
      }
    }
    return ids;
  }

  private String servedBy(String id) {
    var records = client.read(Topics.REPLIES, id).records();
    return PlainClient.header(records.getLast(), "worker").orElseThrow();
  }

  private String workerOf(String id) {
    var first =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
    return PlainClient.header(first.getFirst(), "worker").orElseThrow();
  }
}
