package io.sluice.worker.engine.http;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.HttpVersion;
import io.micronaut.http.client.HttpVersionSelection;
import io.micronaut.http.client.RawHttpClientRegistry;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.client.OpenAiEngineClient;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A real engine client in a context that holds nothing else. */
public final class EngineHttp implements AutoCloseable {
  private final ApplicationContext context;
  private final EngineClient client;
  private final ConnectionCloser closer;

  public EngineHttp(URI engine, EngineTimeouts timeouts) {
    String prefix = "micronaut.http.services.engine.";
    context =
        ApplicationContext.builder()
            .deduceEnvironment(false)
            .environmentPropertySource(false)
            .banner(false)
            .properties(
                Map.of(
                    prefix + "url",
                    engine.toString(),
                    prefix + "connect-timeout",
                    "1s",
                    prefix + "read-timeout",
                    "1h",
                    prefix + "exception-on-error-status",
                    false,
                    prefix + "follow-redirects",
                    false,
                    prefix + "connection-pool-idle-timeout",
                    "4s",
                    prefix + "pool.enabled",
                    true,
                    prefix + "pool.max-concurrent-http1-connections",
                    256,
                    "micronaut.netty.event-loops.default.num-threads",
                    2))
            .start();
    closer = context.getBean(ConnectionCloser.class);
    var raw =
        context
            .getBean(RawHttpClientRegistry.class)
            .getRawClient(
                HttpVersionSelection.forLegacyVersion(HttpVersion.HTTP_1_1), "engine", null);
    client =
        new OpenAiEngineClient(
            new MicronautTransport(raw, closer, engine),
            timeouts,
            Ticker.system(),
            Optional.empty());
  }

  public static EngineTimeouts patient() {
    return new EngineTimeouts(
        Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10));
  }

  public EngineClient client() {
    return client;
  }

  /** Exchanges that are still tracked; none once all have ended. */
  public int tracked() {
    return closer.size();
  }

  @Override
  public void close() {
    context.close();
  }
}
