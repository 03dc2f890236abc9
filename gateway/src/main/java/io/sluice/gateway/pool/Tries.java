package io.sluice.gateway.pool;

import io.sluice.fleet.retry.RetryIndex;
import io.sluice.fleet.retry.RetryIndex.Begun;
import io.sluice.fleet.retry.RetryIndex.Try;
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
  /** A retry that begins again costs a whole generation, more than this delay. */
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(3);

  private static final Logger log = LoggerFactory.getLogger(Tries.class);

  private final RetryIndex index;
  private final Duration grace;

  Tries(RetryIndex index, GatewayConfig config) {
    this.index = index;
    this.grace = config.retryGrace();
  }

  /**
   * Notes that a try begins a pool request, or finds one that it follows.
   *
   * @param patience how long the answer is wanted
   * @param failed a request that it followed and that failed
   */
  Begun begin(ClientTry client, String requestId, Duration patience, Optional<String> failed)
      throws InterruptedException {
    if (client.noted().isEmpty()) {
      return new Begun.Own();
    }
    Try attempt = client.noted().get();
    CompletionStage<Begun> begun = index.begin(attempt, requestId, patience.plus(grace), failed);
    // A first try need not wait until it is noted: its retry comes later.
    return attempt.mayFollow() ? await(begun, new Begun.Own()) : new Begun.Own();
  }

  /** The client of a try has left. */
  void leave(ClientTry client) {
    client.noted().ifPresent(attempt -> logged(index.leave(attempt)));
  }

  /** Returns whether another try has what this one read when its client left. */
  boolean isTakenOver(ClientTry client) {
    try {
      return client.noted().isPresent()
          && await(index.isTakenOver(client.noted().get()), Boolean.FALSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * The response to a try was sent. It may have been lost on its way to the client, whose retry
   * then gets it again.
   */
  void sent(ClientTry client) {
    client
        .noted()
        .filter(attempt -> attempt.body().isEmpty())
        .ifPresent(attempt -> logged(index.leave(attempt)));
  }

  /** A try has no answer: a later one begins again. */
  void forget(ClientTry client) {
    client.noted().ifPresent(attempt -> logged(index.forget(attempt)));
  }

  private static void logged(CompletionStage<?> stage) {
    var _ =
        stage.exceptionally(
            e -> {
              log.warn("event=retry_index_unreadable reason=\"{}\"", e.getMessage());
              return null;
            });
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
