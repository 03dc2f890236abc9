package io.sluice.worker.app;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanContextException;
import io.micronaut.runtime.server.EmbeddedServer;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.ListenPort;
import io.sluice.common.dependency.Reasons;
import io.sluice.fleet.PoolSettings;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A worker in its own application context. */
public final class RunningWorker implements Worker {
  private static final Duration READY_POLL = Duration.ofMillis(25);

  private final String id;
  private final ApplicationContext context;
  private final EmbeddedServer server;
  private final WorkerRuntime runtime;
  private final AtomicBoolean stopped = new AtomicBoolean();

  private RunningWorker(
      String id, ApplicationContext context, EmbeddedServer server, WorkerRuntime runtime) {
    this.id = id;
    this.context = context;
    this.server = server;
    this.runtime = runtime;
  }

  /**
   * Starts a worker.
   *
   * @throws IllegalStateException if the brokers cannot be reached, Redis refuses the worker, or
   *     the port is taken
   */
  public static RunningWorker start(WorkerConfig config) {
    return start(config, Clock.systemUTC());
  }

  /**
   * Starts a worker with this wall clock.
   *
   * @throws IllegalStateException if the brokers cannot be reached, Redis refuses the worker, or
   *     the port is taken
   */
  public static RunningWorker start(WorkerConfig config, Clock wallClock) {
    PoolSettings pool = config.pool();
    ListenPort.requireFree(config.host(), config.port());
    KafkaProbe.requireAnswer(pool.kafka(), pool.kafkaProperties().entries());
    RedisConnection.requireNoRefusal(pool.redis(), pool.name());
    ApplicationContext context =
        ApplicationContext.builder()
            .deduceEnvironment(false)
            .environmentPropertySource(false)
            .banner(false)
            .properties(ContextProperties.of(config))
            .singletons(config, wallClock)
            .build();
    try {
      context.start();
      EmbeddedServer server = context.getBean(EmbeddedServer.class).start();
      WorkerRuntime runtime = context.getBean(WorkerRuntime.class);
      runtime.start();
      return new RunningWorker(config.id(), context, server, runtime);
    } catch (RuntimeException e) {
      context.close();
      throw new IllegalStateException(
          "worker %s cannot start: %s"
              .formatted(config.id(), Reasons.beneath(BeanContextException.class, e)),
          e);
    }
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public List<String> models() {
    EngineMonitor monitor = context.getBean(EngineMonitor.class);
    return monitor.state().up() ? monitor.announcedModels() : List.of();
  }

  @Override
  public int httpPort() {
    return server.getPort();
  }

  @Override
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    long start = System.nanoTime();
    while (!runtime.isReady()) {
      if (System.nanoTime() - start > atMost.toNanos()) {
        return false;
      }
      Thread.sleep(READY_POLL);
    }
    return true;
  }

  @Override
  public void close() {
    if (stopped.compareAndSet(false, true)) {
      runtime.drainAndStop();
      stop();
    }
  }

  @Override
  public void kill() {
    if (stopped.compareAndSet(false, true)) {
      runtime.kill();
      stop();
    }
  }

  /**
   * Stops the server before its context. The end of the server is an event, and one of its
   * listeners (micronaut-kafka's KafkaConsumerGroupManager) asks for the administrator's client: a
   * context that has destroyed it would open another one, which is never closed.
   */
  private void stop() {
    server.stop();
    context.close();
  }
}
