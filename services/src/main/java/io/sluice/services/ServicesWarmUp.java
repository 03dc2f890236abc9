package io.sluice.services;

import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a router, a worker and a gateway in this process, and uses them over HTTP and with client
 * commands.
 *
 * @param kafka the bootstrap servers of a Kafka without the topics of a pool
 * @param redis the address of a Redis
 * @param engine the address of an engine that serves {@value ClientsWarmUp#MODEL}
 */
record ServicesWarmUp(String kafka, String redis, String engine) {
  private static final String ID = "warm-up";
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  /**
   * Starts the services, uses them and stops them.
   *
   * @throws IllegalStateException if they are not ready in time or a request fails
   */
  void run() throws IOException, InterruptedException {
    try (Router router = Router.start(RouterConfig.of(settings(Map.of("id", ID))));
        Worker worker =
            Worker.start(WorkerConfig.of(settings(Map.of("id", ID, "engine-url", engine))))) {
      awaitWorker(router);
      new GatewayWarmUp(kafka, redis).run();
      for (int port : List.of(router.port(), worker.httpPort())) {
        new HttpWarmUp(port).pages();
      }
      new ClientsWarmUp(kafka, redis).run();
    }
  }

  private Map<String, String> settings(Map<String, String> own) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of("kafka", kafka, "redis", redis, "replication", "1", "partitions", "8"));
    settings.put("port", "0");
    settings.putAll(own);
    return settings;
  }

  private static void awaitWorker(Router router) throws InterruptedException {
    long start = System.nanoTime();
    boolean isReady = router.awaitReady(READY_WITHIN);
    while (!isReady || router.reachableWorkers() == 0) {
      if (System.nanoTime() - start > READY_WITHIN.toNanos()) {
        throw new IllegalStateException(
            "the services were not ready within %d s".formatted(READY_WITHIN.toSeconds()));
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }
}
