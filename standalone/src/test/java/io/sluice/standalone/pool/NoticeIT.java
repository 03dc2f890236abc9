package io.sluice.standalone.pool;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.cli.operations.WorkerDrainCommand;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The machine of a worker is about to go, or an operator says so. */
@ExtendWith(SharedBackends.class)
class NoticeIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090)
          .withModels(List.of(PoolPlan.MODEL))
          .withMaxModelLen(4_096);

  /** Steps of 25 ms: the answers take some 20 s there, longer than the notice. */
  private static final SimulatorConfig SLOW = CONFIG.withSpeed(0.4);

  private static final int TOKENS = 800;

  private static final Duration NOTICE = Duration.ofSeconds(12);
  private static final int STREAMS = 6;
  private static final String GOING = "going";

  @TempDir private Path folder;

  private final List<SimulatedEngine> engines = new ArrayList<>();
  private final Map<String, Worker> workers = new HashMap<>();
  private Backends backends;
  private Router router;
  private SluiceClient client;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    router = Router.start(RouterConfig.of(pool(Map.of("id", "r"))));
    startWorker(GOING, SLOW, Map.of("notice-file", notice().toString()));
    client = SluiceClient.connect(ClientConfig.at(backends.kafkaBootstrapServers()));
  }

  private void startWorker(String id, SimulatorConfig config, Map<String, String> more)
      throws Exception {
    SimulatedEngine engine = SimulatedEngine.start(config);
    engines.add(engine);
    Map<String, String> settings =
        pool(
            Map.of(
                "id",
                id,
                "engine-url",
                engine.uri().toString(),
                "ramp-millis",
                "0",
                "drain-grace-millis",
                "0",
                "warm-up-requests",
                "0"));
    settings.putAll(more);
    workers.put(id, Worker.start(WorkerConfig.of(settings)));
    assertThat(workers.get(id).awaitReady(PATIENCE)).isTrue();
  }

  @AfterEach
  void stop() {
    client.close();
    workers.values().forEach(Worker::close);
    router.close();
    engines.forEach(SimulatedEngine::close);
  }

  @Test
  void streamsOfAMachineThatIsAboutToGoContinueElsewhereWithinTheNotice() throws Exception {
    // Given
    List<CompletableFuture<Answer>> answers = streams();

    // When
    Files.writeString(notice(), Long.toString(NOTICE.toSeconds()));
    long start = System.nanoTime();

    // Then
    await().atMost(PATIENCE).until(() -> running(GOING) == 0);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(NOTICE);
    assertComplete(answers);
    assertThat(metric(GOING, "sluice_worker_machine_going")).isEqualTo(1);

    // When it is withdrawn
    Files.delete(notice());

    // Then
    await().atMost(PATIENCE).until(() -> metric(GOING, "sluice_worker_draining") == 0);
  }

  @Test
  void anOperatorsDrainWithATimeEndsByItself() throws Exception {
    List<CompletableFuture<Answer>> answers = streams();

    int exit =
        new CommandLine(new WorkerDrainCommand())
            .execute(GOING, "--within", "2s", "--for", "10s", "--redis", backends.redisUri());

    assertThat(exit).isZero();
    assertThat(running(GOING)).isZero();
    await().atMost(PATIENCE).until(() -> metric(GOING, "sluice_worker_draining") == 0);
    assertComplete(answers);
  }

  /** Long streams at the worker whose machine will go; then there is another one. */
  private List<CompletableFuture<Answer>> streams() throws Exception {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      var request =
          InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user("tell me of " + i)))
              .with("max_tokens", TOKENS)
              .with("ignore_eos", true)
              .timeout(PATIENCE)
              .build();
      answers.add(client.submit(request).answer());
    }
    await()
        .atMost(PATIENCE)
        .until(
            () -> running(GOING) == STREAMS && metric(GOING, "sluice_worker_prefill_backlog") == 0);
    startWorker("staying", CONFIG, Map.of());
    return answers;
  }

  private static void assertComplete(List<CompletableFuture<Answer>> answers) throws Exception {
    for (CompletableFuture<Answer> answer : answers) {
      assertThat(answer.get(PATIENCE.toSeconds(), SECONDS).usage().completionTokens())
          .isEqualTo(TOKENS);
    }
  }

  private double running(String worker) {
    return metric(worker, "sluice_worker_running");
  }

  private double metric(String worker, String name) {
    try {
      return new ServiceMetrics(workers.get(worker).httpPort()).sum(name).orElse(0);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path notice() {
    return folder.resolve("notice");
  }

  private Map<String, String> pool(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("port", "0");
    settings.put("kafka", backends.kafkaBootstrapServers());
    settings.put("redis", backends.redisUri());
    settings.put("partitions", Integer.toString(PoolPlan.LOCAL_PARTITIONS));
    return settings;
  }
}
