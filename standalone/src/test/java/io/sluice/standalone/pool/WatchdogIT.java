package io.sluice.standalone.pool;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.admin.Operations;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fault.Fault;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two workers whose engines degrade under traffic, and whose watchdogs restart them. */
@ExtendWith(SharedBackends.class)
class WatchdogIT {
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final int CALLERS = 24;

  /**
   * The router prefers the faster engine. What it has no room for keeps the slower one as busy as
   * before.
   */
  private static final int SLOTS = CALLERS / 2;

  private static final int TOKENS = 20;
  private static final int KV_BLOCKS = 4_000;

  /** Steps take 1.75 times as long then, and the breaker stays closed. */
  private static final double LOST_SHARE = 0.75;

  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090)
          // Steps of 25 ms: a busy test machine adds little to them.
          .withSpeed(0.4)
          .withModels(List.of(PoolPlan.MODEL))
          .withMaxModelLen(1_024)
          .withKvBlocks(KV_BLOCKS)
          .withAdminPort(0);

  private final List<SimulatedEngine> engines = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private Backends backends;
  private Router router;
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private SluiceClient client;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    router = Router.start(RouterConfig.of(settings(Map.of("id", "r", "port", "0"))));
    for (int i = 0; i < 2; i++) {
      SimulatedEngine engine = SimulatedEngine.start(CONFIG);
      engines.add(engine);
      workers.add(
          Worker.start(
              WorkerConfig.of(
                  settings(
                      Map.of(
                          "id", "watched-" + i,
                          "port", "0",
                          "engine-url", engine.uri().toString(),
                          "max-concurrent", Integer.toString(SLOTS),
                          "scrape-millis", "50",
                          "watchdog", "restart",
                          "watchdog-window-millis", "200",
                          "warm-up-requests", "4",
                          "restart-url",
                              "http://127.0.0.1:" + engine.adminPort().getAsInt() + "/restart")))));
    }
    for (Worker worker : workers) {
      assertThat(worker.awaitReady(PATIENCE)).isTrue();
    }
    client = SluiceClient.connect(ClientConfig.at(backends.kafkaBootstrapServers()));
  }

  @AfterEach
  void stop() {
    isOver.set(true);
    callers.shutdownNow();
    client.close();
    workers.forEach(Worker::close);
    router.close();
    engines.forEach(SimulatedEngine::close);
  }

  @Test
  void enginesThatDegradeAreHealedOneAtATimeAndNoRequestFails() throws Exception {
    // Given
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      callers.execute(() -> call(caller));
    }
    await().atMost(PATIENCE).until(() -> workers.stream().allMatch(WatchdogIT::knowsItsEngine));

    // When
    for (SimulatedEngine engine : engines) {
      engine.faults().add(Fault.parse("leak=100000"));
    }
    for (SimulatedEngine engine : engines) {
      await()
          .atMost(PATIENCE)
          .until(() -> engine.operations().lostBlocks() > LOST_SHARE * KV_BLOCKS);
      engine.faults().set(List.of());
    }

    // Then
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(engines.stream().filter(WatchdogIT::isAway).count())
                  .as("engines away at once")
                  .isLessThan(2);
              return engines.stream().allMatch(engine -> engine.operations().lostBlocks() == 0);
            });
    await().atMost(PATIENCE).until(() -> workers.stream().allMatch(WatchdogIT::isHealed));
    isOver.set(true);
    callers.close();
    assertThat(answers).allSatisfy(tokens -> assertThat(tokens).isEqualTo(TOKENS));
    assertThat(failures).isEmpty();
  }

  /** One request after the other, so that a slower engine gets no more of them at once. */
  private void call(int caller) {
    for (int i = 0; !isOver.get(); i++) {
      var request =
          InferenceRequest.chat(
                  PoolPlan.MODEL, List.of(Message.user("tell me of " + caller + " and " + i)))
              .with("max_tokens", TOKENS)
              .with("ignore_eos", true)
              .build();
      try {
        Answer answer = client.submit(request).answer().get(PATIENCE.toSeconds(), SECONDS);
        answers.add(answer.usage().completionTokens());
      } catch (ExecutionException | TimeoutException e) {
        failures.add(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static boolean knowsItsEngine(Worker worker) {
    return metric(worker, "sluice_worker_engine_slowdown") > 0;
  }

  private static boolean isHealed(Worker worker) {
    return metric(worker, "sluice_worker_engine_restarts_total") > 0
        && metric(worker, "sluice_worker_draining") == 0;
  }

  private static double metric(Worker worker, String name) {
    try {
      return new ServiceMetrics(worker.httpPort()).sum(name).orElse(0);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isAway(SimulatedEngine engine) {
    return engine.operations().state() != Operations.State.SERVING;
  }

  private Map<String, String> settings(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("kafka", backends.kafkaBootstrapServers());
    settings.put("redis", backends.redisUri());
    settings.put("partitions", Integer.toString(PoolPlan.LOCAL_PARTITIONS));
    return settings;
  }
}
