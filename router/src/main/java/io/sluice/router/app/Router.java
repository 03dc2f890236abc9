package io.sluice.router.app;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanContextException;
import io.micronaut.runtime.server.EmbeddedServer;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.ListenPort;
import io.sluice.common.dependency.Reasons;
import io.sluice.fleet.PoolSettings;
import io.sluice.fleet.redis.RedisConnection;
import java.time.Clock;
import java.time.Duration;

/** A running router with its HTTP port for {@code /health} and {@code /prometheus}. Thread-safe. */
public final class Router implements AutoCloseable {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private final ApplicationContext context;
  private final RouterCore core;
  private final int port;

  private Router(ApplicationContext context) {
    this.context = context;
    this.core = context.getBean(RouterCore.class);
    this.port = context.getBean(EmbeddedServer.class).start().getPort();
  }

  /**
   * Starts a router; it takes requests a few seconds later, see {@link #awaitReady}.
   *
   * @throws IllegalStateException if Kafka cannot be reached or is set up for another pool, Redis
   *     refuses the service, or the port is taken; the message is one line
   */
  public static Router start(RouterConfig config) {
    return start(config, Clock.systemUTC());
  }

  /**
   * Starts a router with this wall clock of the machine. Nothing may depend on its being right.
   *
   * @throws IllegalStateException if Kafka cannot be reached or is set up for another pool, Redis
   *     refuses the service, or the port is taken; the message is one line
   */
  public static Router start(RouterConfig config, Clock wallClock) {
    PoolSettings pool = config.pool();
    ListenPort.requireFree(config.host(), config.port());
    KafkaProbe.requireAnswer(pool.kafka(), pool.kafkaProperties().entries());
    RedisConnection.requireNoRefusal(pool.redis(), pool.name());
    ApplicationContext context =
        ApplicationContext.builder()
            .banner(false)
            .singletons(config, wallClock)
            .properties(ContextProperties.of(config))
            .build();
    try {
      return new Router(context.start());
    } catch (RuntimeException e) {
      context.close();
      throw new IllegalStateException(
          "the router cannot start: " + Reasons.beneath(BeanContextException.class, e), e);
    }
  }

  /** Returns the port of {@code /health} and {@code /prometheus}. */
  public int port() {
    return port;
  }

  /**
   * Waits until the router works on its partitions.
   *
   * @return whether it does
   */
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (!core.isRunning() && System.nanoTime() - end < 0) {
      Thread.sleep(LOOK_AGAIN);
    }
    return core.isRunning();
  }

  /** Returns the number of workers that are registered, accept requests, and have a known topic. */
  public long reachableWorkers() {
    return core.reachableWorkers();
  }

  @Override
  public void close() {
    context.close();
  }
}
