package io.sluice.bench.failover;

import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.Target;
import io.sluice.bench.torture.pool.Wiring;
import io.sluice.simulator.fit.MetricsPage;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Whether all processes of a pool serve, and every router uses all workers. */
final class Wholeness {
  private static final Duration WITHIN = Duration.ofMinutes(2);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final Duration HTTP_WITHIN = Duration.ofSeconds(2);
  private static final int OK = 200;

  private final PoolProcesses pool;
  private final List<Target> targets = Wiring.all(FailoverPool.SETUP).toList();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  Wholeness(PoolProcesses pool) {
    this.pool = pool;
  }

  /**
   * Waits until nothing is missing.
   *
   * @throws IOException if something is missing for too long
   */
  void await() throws IOException, InterruptedException {
    long end = System.nanoTime() + WITHIN.toNanos();
    Optional<String> missing = missing();
    while (missing.isPresent()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "the pool was not whole again within %d s: %s"
                .formatted(WITHIN.toSeconds(), missing.get()));
      }
      Thread.sleep(LOOK_AGAIN);
      missing = missing();
    }
  }

  private Optional<String> missing() throws InterruptedException {
    if (!pool.dead().isEmpty()) {
      return Optional.of("processes ended: " + pool.dead());
    }
    for (Target target : targets) {
      try {
        if (!isWhole(target)) {
          return Optional.of(target.id() + " does not serve");
        }
      } catch (IOException e) {
        return Optional.of("%s does not answer: %s".formatted(target.id(), e));
      }
    }
    return Optional.empty();
  }

  private boolean isWhole(Target target) throws IOException, InterruptedException {
    return switch (target.role()) {
      case BROKER, REDIS -> true;
      case ENGINE -> get(target, "/health").statusCode() == OK;
      case WORKER, GATEWAY -> isReady(target);
      case ROUTER ->
          isReady(target) && hasAllWorkers(new MetricsPage(get(target, "/prometheus").body()));
    };
  }

  private boolean isReady(Target target) throws IOException, InterruptedException {
    return get(target, "/health/readiness").statusCode() == OK;
  }

  private static boolean hasAllWorkers(MetricsPage router) {
    return router.sum("sluice_router_workers") == FailoverPool.SETUP.workers()
        && router.sum("sluice_router_breaker") == 0;
  }

  private HttpResponse<String> get(Target target, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(pool.http(target, path)).timeout(HTTP_WITHIN).build(),
        BodyHandlers.ofString());
  }
}
