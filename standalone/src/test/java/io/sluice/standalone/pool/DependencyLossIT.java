package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.redis.EmbeddedRedis;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a router, a worker and a gateway say when Kafka, Redis or the engine goes and returns. */
@TestInstance(Lifecycle.PER_CLASS)
class DependencyLossIT {
  /** What an operator is promised is 5 s; the rest is for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(8);

  /** Routers and workers also get their topics and partitions again. */
  private static final Duration AGAIN = Duration.ofSeconds(60);

  /** The client's reason, or that of the watch if the machine was busy for a moment. */
  private static final Pattern NO_ANSWER =
      Pattern.compile("no broker answered within 1400 ms|no answer within 1500 ms");

  private static final Logger log = (Logger) LoggerFactory.getLogger("io.sluice.common.dependency");

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final Map<String, Integer> ports = new LinkedHashMap<>();
  private Path data;
  private int kafkaPort;
  private ServiceProcess kafka;
  private EmbeddedRedis redis;
  private SimulatedEngine engine;
  private FaultyProxy proxy;
  private Router router;
  private Worker worker;
  private Gateway gateway;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    data = folder.resolve("kafka");
    kafkaPort = LocalPort.settle(0, "Kafka");
    kafka = startKafka();
    redis = EmbeddedRedis.start(0);
    engine = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090));
    proxy = new FaultyProxy(engine.uri());
    router = Router.start(RouterConfig.of(pool(Map.of("id", "r"))));
    worker =
        Worker.start(
            WorkerConfig.of(
                pool(
                    Map.of(
                        "id",
                        "w",
                        "engine-url",
                        proxy.uri().toString(),
                        "warm-up-requests",
                        "0"))));
    gateway = Gateway.start(GatewayConfig.of(with(Map.of("keep-alive-seconds", "0.5"))));
    ports.put("router", router.port());
    ports.put("worker", worker.httpPort());
    ports.put("gateway", gateway.port());
  }

  @AfterAll
  void stop() throws Exception {
    gateway.kill();
    worker.kill();
    router.close();
    proxy.close();
    engine.close();
    redis.close();
    kafka.close();
  }

  @BeforeEach
  void awaitReady() {
    // The first request of a service loads many classes, and may be late on a busy machine.
    await()
        .atMost(AGAIN)
        .ignoreExceptions()
        .untilAsserted(() -> assertReady("router", "worker", "gateway"));
    appender.start();
    log.addAppender(appender);
  }

  @AfterEach
  void detach() {
    log.detachAppender(appender);
    appender.list.clear();
  }

  @Test
  void nothingIsReadyWhileKafkaIsFrozen() throws Exception {
    // When
    kafka.signal("STOP");

    // Then
    await().atMost(SOON).untilAsserted(() -> assertReady());
    assertKafkaIsAway();

    // When
    kafka.signal("CONT");

    // Then
    await().atMost(SOON).until(() -> lines("dependency_back", "kafka").size() == 3);
    await().atMost(AGAIN).untilAsserted(() -> assertReady("router", "worker", "gateway"));
  }

  @Test
  void noResponseBeginsBeforeKafkaHasItsRequest() throws Exception {
    // Given
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/v1/chat/completions".formatted(gateway.port())))
            .header("content-type", "application/json")
            .timeout(AGAIN)
            .POST(
                BodyPublishers.ofByteArray(
                    Requests.chat(SimulatorConfig.DEFAULT_MODEL, "Hi", 5, true)))
            .build();
    HttpClient http = HttpClient.newHttpClient();
    assertThat(http.send(request, BodyHandlers.ofLines()).body()).contains("data: [DONE]");
    kafka.signal("STOP");

    // When
    CompletableFuture<HttpResponse<Stream<String>>> response =
        http.sendAsync(request, BodyHandlers.ofLines());

    // Then: several keep-alives would be due
    assertThatThrownBy(() -> response.get(3, TimeUnit.SECONDS))
        .isInstanceOf(TimeoutException.class);

    // When
    kafka.signal("CONT");

    // Then
    assertThat(response.get().body()).contains("data: [DONE]");
  }

  @Test
  void nothingIsReadyWhileKafkaIsStopped() throws Exception {
    // When
    kafka.kill();

    // Then
    await().atMost(SOON).untilAsserted(() -> assertReady());
    assertKafkaIsAway();

    // When
    kafka = startKafka();

    // Then
    await().atMost(SOON).until(() -> lines("dependency_back", "kafka").size() == 3);
    await().atMost(AGAIN).untilAsserted(() -> assertReady("router", "worker", "gateway"));
  }

  private void assertKafkaIsAway() throws Exception {
    assertThat(lines("dependency_lost", "kafka"))
        .hasSize(3)
        .allMatch(line -> line.contains("address=127.0.0.1:" + kafkaPort))
        .allMatch(line -> NO_ANSWER.matcher(line).find());
    for (String service : ports.keySet()) {
      assertThat(ServiceHealth.liveness(ports.get(service)).isUp()).isTrue();
      assertThat(detail(service, "kafka")).containsPattern(NO_ANSWER);
      assertThat(gauge(service, "kafka")).isZero();
      assertThat(gauge(service, "redis")).isEqualTo(1);
    }
  }

  @Test
  void aLossOfRedisIsToldButAllStayReady() throws Exception {
    // When
    redis.close();

    // Then
    await().atMost(SOON).until(() -> lines("dependency_lost", "redis").size() == 3);
    assertReady("router", "worker", "gateway");
    for (String service : ports.keySet()) {
      assertThat(detail(service, "redis")).startsWith("away for");
      assertThat(gauge(service, "redis")).isZero();
    }

    // When
    redis = EmbeddedRedis.start(redis.port());

    // Then
    await().atMost(SOON).until(() -> lines("dependency_back", "redis").size() == 3);
  }

  @Test
  void aWorkerIsNotReadyWhileItsEngineIsDead() throws Exception {
    assertEngineIsMissed(FaultyProxy.Fault.REFUSE);
  }

  @Test
  void aWorkerIsNotReadyWhileItsEngineIsFrozen() throws Exception {
    assertEngineIsMissed(FaultyProxy.Fault.STALL);
  }

  private void assertEngineIsMissed(FaultyProxy.Fault fault) throws Exception {
    // When
    proxy.set(fault);
    if (fault == FaultyProxy.Fault.REFUSE) {
      proxy.cut();
    }

    // Then
    await().atMost(SOON).untilAsserted(() -> assertReady("router", "gateway"));
    assertThat(lines("dependency_lost", "engine"))
        .hasSize(1)
        .allMatch(line -> line.contains("service=w "));
    assertThat(gauge("worker", "engine")).isZero();

    // When
    proxy.set(FaultyProxy.Fault.NONE);
    proxy.cut();

    // Then
    await().atMost(SOON).untilAsserted(() -> assertReady("router", "worker", "gateway"));
    assertThat(lines("dependency_back", "engine")).hasSize(1);
  }

  @Test
  void aWorkerWhoseEngineWantsAnotherKeyIsNeverReady() throws Exception {
    // Given
    SimulatorConfig wantsKey =
        SimulatorConfig.of(GpuProfile.RTX4090)
            .withServer(ServerOptions.with(options -> options.apiKeys = List.of("right")));
    try (SimulatedEngine locked = SimulatedEngine.start(wantsKey)) {
      String url = locked.uri().toString();

      // When
      Worker refused =
          Worker.start(
              WorkerConfig.of(
                  pool(Map.of("id", "k", "engine-url", url, "engine-api-key", "wrong"))));

      // Then
      await().atMost(SOON).until(() -> lines("dependency_lost", "engine").size() == 1);
      ServiceHealth health = ServiceHealth.readiness(refused.httpPort());
      assertThat(health.isDown()).isTrue();
      assertThat(health.detail("worker", "engine")).contains("set SLUICE_ENGINE_API_KEY");
      assertThat(health.detail("worker", "kafka")).isEqualTo("up");
      refused.kill();
    }
  }

  private void assertReady(String... services) throws Exception {
    for (String service : ports.keySet()) {
      ServiceHealth health = ServiceHealth.readiness(ports.get(service));
      boolean isReady = Set.of(services).contains(service);
      assertThat(isReady ? health.isUp() : health.isDown())
          .as("%s %s: %s", service, isReady ? "is ready" : "is not ready", health)
          .isTrue();
    }
  }

  private String detail(String service, String dependency) throws Exception {
    return ServiceHealth.readiness(ports.get(service)).detail(service, dependency);
  }

  private double gauge(String service, String dependency) throws Exception {
    String meter = "sluice_%s_dependency_up".formatted(service);
    return new ServiceMetrics(ports.get(service))
        .page()
        .orElseThrow()
        .with("dependency", dependency)
        .sum(meter);
  }

  private List<String> lines(String event, String dependency) {
    return List.copyOf(appender.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.startsWith("event=" + event + " "))
        .filter(line -> line.contains(" dependency=" + dependency + " "))
        .toList();
  }

  private ServiceProcess startKafka() {
    return ServiceProcess.start("kafka", Integer.toString(kafkaPort), data.toString());
  }

  private Map<String, String> pool(Map<String, String> settings) {
    Map<String, String> all = with(settings);
    all.putAll(
        Map.of("partitions", Integer.toString(PoolPlan.LOCAL_PARTITIONS), "replication", "1"));
    return all;
  }

  private Map<String, String> with(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(Map.of("port", "0", "kafka", "127.0.0.1:" + kafkaPort, "redis", redis.uri()));
    return all;
  }
}
