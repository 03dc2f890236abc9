package io.sluice.gateway.app;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanContextException;
import io.micronaut.runtime.server.EmbeddedServer;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.ListenPort;
import io.sluice.common.dependency.Reasons;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.gateway.access.GatewayKeys;
import io.sluice.gateway.batch.BatchService;
import io.sluice.gateway.config.GatewayConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A gateway in this process, in its own application context. Thread-safe. */
public final class Gateway implements AutoCloseable {
  /** Longer than a router needs to start on a busy machine. */
  private static final Duration POOL_WITHIN = Duration.ofSeconds(60);

  private final ApplicationContext context;
  private final EmbeddedServer server;
  private final AtomicBoolean stopped = new AtomicBoolean();

  private Gateway(ApplicationContext context, EmbeddedServer server) {
    this.context = context;
    this.server = server;
  }

  /**
   * Starts a gateway; returns when it serves requests. Waits a minute at most for a pool that
   * starts at the same time.
   *
   * @throws IllegalStateException if the API keys cannot be read, Kafka cannot be reached or has no
   *     pool, or the port is taken; the message is one line
   */
  public static Gateway start(GatewayConfig config) {
    ApplicationContext context = context(config);
    try {
      ListenPort.requireFree(config.host(), config.port());
      context.start();
      RedisConnection.requireNoRefusal(config.pool().redis(), config.pool().name());
      // First of all: without its keys, a gateway could only refuse.
      context.getBean(GatewayKeys.class);
      KafkaProbe.requireAnswer(config.pool().kafka(), config.pool().kafkaProperties().entries());
      PoolStart.await(config.pool(), POOL_WITHIN);
      context.getBean(DependencyWatch.class);
      context.getBean(BatchService.class);
      return new Gateway(context, context.getBean(EmbeddedServer.class).start());
    } catch (RuntimeException e) {
      context.close();
      throw new IllegalStateException(
          "the gateway cannot start: " + Reasons.beneath(BeanContextException.class, e), e);
    }
  }

  /** Returns the context of a gateway, which is not started. */
  static ApplicationContext context(GatewayConfig config) {
    return ApplicationContext.builder()
        .deduceEnvironment(false)
        .environmentPropertySource(false)
        .banner(false)
        .properties(ContextProperties.of(config))
        .singletons(config)
        .build();
  }

  /** Returns the port of the API. */
  public int port() {
    return server.getPort();
  }

  /**
   * Stops gracefully: refuses new requests, lets the others finish within the grace period, and
   * ends the rest with an error. The pool continues with their requests. Takes at most the grace
   * period and about 10 s.
   */
  @Override
  public void close() {
    if (stopped.compareAndSet(false, true)) {
      context.getBean(Shutdown.class).drain();
      context.close();
    }
  }

  /** Stops as if the process were killed: no response is finished. For tests. */
  public void kill() {
    if (stopped.compareAndSet(false, true)) {
      context.close();
    }
  }
}
