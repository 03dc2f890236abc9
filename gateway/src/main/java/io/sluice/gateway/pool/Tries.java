package io.sluice.gateway.pool;

import io.sluice.fleet.retry.RetryIndex;
import io.sluice.fleet.retry.RetryIndex.Begun;
import io.sluice.fleet.retry.RetryIndex.Try;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
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
 * Finds what an earlier try of a client began: a request to the pool, or a batch. If the index
 * cannot be read, each try begins one of its own. Thread-safe.
 */
@Singleton
public final class Tries {
  /** A try that follows this many failed ones begins its own, even if others began more. */
  private static final int MOST_FOLLOWED = 3;

  /** A retry that begins again costs a whole generation, more than this delay. */
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(3);

  /** Longer than a write to Kafka may take. */
  private static final Duration STORED_WITHIN = Duration.ofSeconds(40);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
  private static final Duration LOOK_AGAIN_AT_MOST = Duration.ofSeconds(4);
  private static final Logger log = LoggerFactory.getLogger(Tries.class);

  private final RetryIndex index;
  private final Duration grace;

  Tries(RetryIndex index, GatewayConfig config) {
    this.index = index;
    this.grace = config.retryGrace();
  }

  /** Follows what an earlier try began. */
  @FunctionalInterface
  public interface Follower<T> {
    /** Returns what is to be the answer to this try; empty if the earlier try failed. */
    Optional<T> follow(String id) throws InterruptedException;
  }

  /**
   * Follows what an earlier try began and that has not failed, or notes what this one begins.
   *
   * @param id of what this try would begin
   * @param patience how long the answer is wanted
   * @return empty if the try is to begin its own
   * @throws ApiException if the client reuses an idempotency key
   */
  public <T> Optional<T> followed(
      ClientTry client, String id, Duration patience, Follower<T> follower)
      throws InterruptedException {
    boolean isOver = false;
    try {
      Optional<T> followed = followedUntilOver(client, id, patience, follower);
      isOver = true;
      return followed;
    } finally {
      if (!isOver) {
        leave(client);
      }
    }
  }

  private <T> Optional<T> followedUntilOver(
      ClientTry client, String id, Duration patience, Follower<T> follower)
      throws InterruptedException {
    Optional<T> followed = Optional.empty();
    Optional<String> failed = Optional.empty();
    for (int i = 0; i < MOST_FOLLOWED && followed.isEmpty(); i++) {
      Begun begun = begin(client, id, patience, failed);
      if (begun instanceof Begun.Reused) {
        throw new ApiException(ApiError.idempotencyKeyReused());
      }
      if (!(begun instanceof Begun.Following(String earlier))) {
        break;
      }
      followed = follower.follow(earlier);
      // If it has no answer, the next try finds this one.
      failed = Optional.of(earlier);
    }
    return followed;
  }

  /** Looks for what an earlier try stored. */
  @FunctionalInterface
  public interface Lookup<T> {
    /** Returns it; empty if it is not there. */
    Optional<T> find() throws InterruptedException;
  }

  /**
   * Waits for what an earlier try has noted and may not have stored yet, as when Kafka is slow: it
   * is noted before, so that of equal tries at the same time one begins.
   *
   * @param lookup tells at once what will not be there any more
   * @return empty if it was refused, or if its gateway died before it was stored
   */
  public static <T> Optional<T> awaitStored(Lookup<T> lookup) throws InterruptedException {
    long endNanos = System.nanoTime() + STORED_WITHIN.toNanos();
    Duration wait = LOOK_AGAIN;
    Optional<T> found = lookup.find();
    while (found.isEmpty() && System.nanoTime() - endNanos < 0) {
      Thread.sleep(wait);
      found = lookup.find();
      // Each look may be a search.
      wait = wait.multipliedBy(2);
      wait = wait.compareTo(LOOK_AGAIN_AT_MOST) < 0 ? wait : LOOK_AGAIN_AT_MOST;
    }
    return found;
  }

  private Begun begin(ClientTry client, String id, Duration patience, Optional<String> failed)
      throws InterruptedException {
    if (client.noted().isEmpty()) {
      return new Begun.Own();
    }
    Try attempt = client.noted().get();
    CompletionStage<Begun> begun = index.begin(attempt, id, patience.plus(grace), failed);
    // A first try need not wait until it is noted: its retry comes later.
    return attempt.mayFollow() ? await(begun, new Begun.Own()) : new Begun.Own();
  }

  /** The client of a try has left. */
  void leave(ClientTry client) {
    client.noted().ifPresent(attempt -> logged(index.leave(attempt)));
  }

  /**
   * What a try was to begin has failed. If it was refused, no later try is to follow it; if Kafka
   * could not be reached, it may be there. Blocks for a bounded time.
   *
   * @return whether it was refused and no other try follows it already
   */
  public boolean failed(ClientTry client, ApiException failure) {
    leave(client);
    if (failure.error().isUnreachable() || isTakenOver(client)) {
      return false;
    }
    // Also what is still on its way to the index.
    forget(client);
    return true;
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
  public void sent(ClientTry client) {
    client
        .noted()
        .filter(attempt -> attempt.body().isEmpty())
        .ifPresent(attempt -> logged(index.sent(attempt)));
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
