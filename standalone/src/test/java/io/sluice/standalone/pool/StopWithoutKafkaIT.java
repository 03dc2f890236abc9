package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.redis.EmbeddedRedis;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services that are stopped while Kafka is silent end before their orchestrator kills them. */
class StopWithoutKafkaIT {
  /** What {@code k8s} gives a router, which is the shortest, less what a busy machine takes. */
  private static final Duration WITHIN = Duration.ofSeconds(25);

  /** By then every service has asked Kafka something, and waits for the answer. */
  private static final Duration SILENCE = Duration.ofSeconds(11);

  @Test
  void everyServiceEnds(@TempDir Path folder) throws Exception {
    // Given
    String port = Integer.toString(LocalPort.settle(0, "Kafka"));
    try (ServiceProcess kafka = ServiceProcess.start("kafka", port, folder.toString());
        EmbeddedRedis redis = EmbeddedRedis.start(0);
        SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090))) {
      Map<String, String> pool =
          Map.of("port", "0", "kafka", "127.0.0.1:" + port, "redis", redis.uri());
      Map<String, String> topics =
          Map.of("partitions", Integer.toString(PoolPlan.LOCAL_PARTITIONS), "replication", "1");
      Router router = Router.start(RouterConfig.of(with(pool, topics, Map.of("id", "r"))));
      Map<String, String> served =
          Map.of("id", "w", "engine-url", engine.uri().toString(), "warm-up-requests", "0");
      Worker worker = Worker.start(WorkerConfig.of(with(pool, topics, served)));
      Gateway gateway = Gateway.start(GatewayConfig.of(pool));
      assertThat(router.awaitReady(Duration.ofMinutes(2))).isTrue();

      // When
      kafka.signal("STOP");
      Thread.sleep(SILENCE);

      // Then
      assertThat(timeToClose(gateway)).isLessThan(WITHIN);
      assertThat(timeToClose(worker)).isLessThan(WITHIN);
      assertThat(timeToClose(router)).isLessThan(WITHIN);
    }
  }

  private static Duration timeToClose(AutoCloseable service) throws Exception {
    long start = System.nanoTime();
    service.close();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @SafeVarargs
  private static Map<String, String> with(Map<String, String>... settings) {
    Map<String, String> all = new HashMap<>();
    for (Map<String, String> some : settings) {
      all.putAll(some);
    }
    return all;
  }
}
