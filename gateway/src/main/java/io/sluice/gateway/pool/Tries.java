package io.sluice.gateway.pool;

import io.sluice.fleet.RetryIndex;
import io.sluice.gateway.config.GatewayConfig;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the pool request that an earlier try of a client began. If the index cannot be read, each
 * try begins a request of its own. Thread-safe.
 */
@Singleton
final class Tries {
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(Tries.class);

  private final RetryIndex index;
  private final Duration life;

  Tries(RetryIndex index, GatewayConfig config) {
    this.index = index;
    this.life = config.requestTimeout().plus(config.retryGrace());
  }

  /**
   * Notes that a try begins a pool request.
   *
   * @return the request that an earlier try began
   */
  Optional<String> begin(ClientTry client, String requestId) throws InterruptedException {
    if (client.fingerprint().isEmpty()) {
      return Optional.empty();
    }
    var begun =
        index.begin(client.fingerprint().get(), requestId, client.id(), life, client.mayFollow());
    // A first try need not wait until it is noted: its retry comes later.
    return client.mayFollow() ? await(begun, Optional.empty()) : Optional.empty();
  }

  /** Returns whether no other try has come after this one. */
  boolean isLast(ClientTry client) {
    try {
      return client.fingerprint().isEmpty()
          || await(index.isHeldBy(client.fingerprint().get(), client.id()), true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static <T> T await(CompletionStage<T> stage, T otherwise) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get(LOOKUP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=retry_index_unreadable reason=\"{}\"", e.getMessage());
      return otherwise;
    }
  }
}
