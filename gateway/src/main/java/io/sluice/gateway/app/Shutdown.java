package io.sluice.gateway.app;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.http.FilterOrder;
import io.sluice.gateway.http.OpenResponses;
import io.sluice.producer.client.SluiceClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Refuses new requests while the gateway stops, and lets the others finish. Thread-safe. */
@ServerFilter("/v1/**")
@Order(FilterOrder.SHUTDOWN)
final class Shutdown {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  /** A load balancer has other gateways. */
  private static final long RETRY_AFTER_MILLIS = 500;

  /** The last event of a stream is written within this time, if its client reads. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(3);

  private final SluiceClient client;
  private final OpenResponses responses;
  private final GatewayConfig config;
  private final AtomicBoolean isDraining = new AtomicBoolean();

  Shutdown(SluiceClient client, OpenResponses responses, GatewayConfig config) {
    this.responses = responses;
    this.client = client;
    this.config = config;
  }

  /** Returns whether the gateway is about to stop. */
  boolean isDraining() {
    return isDraining.get();
  }

  /** Refuses a request if the gateway is about to stop. */
  @RequestFilter
  @Nullable HttpResponse<?> admit(HttpRequest<?> request) {
    return isDraining.get()
        ? ApiError.of(ErrorKind.UNAVAILABLE, "this gateway is about to stop; try again")
            .retryAfter(RETRY_AFTER_MILLIS)
            .toResponse()
            .header("connection", "close")
        : null;
  }

  /**
   * Waits until no request is in progress and all responses are written, at most for the grace
   * period, and ends the rest: their streams get an error as their last event.
   */
  void drain() {
    isDraining.set(true);
    awaitNone(config.drainGrace());
    client.close(Failures.STOPPED);
    awaitNone(LAST_WORDS);
  }

  private void awaitNone(Duration atMost) {
    long start = System.nanoTime();
    try {
      while ((client.requestsInFlight() > 0 || responses.count() > 0)
          && System.nanoTime() - start < atMost.toNanos()) {
        Thread.sleep(LOOK_AGAIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
