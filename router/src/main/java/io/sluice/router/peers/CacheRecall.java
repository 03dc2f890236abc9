package io.sluice.router.peers;

import io.sluice.common.time.LogInterval;
import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.peers.SentHistory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recalls what workers have cached when they become known to this router: a router that starts when
 * no other one runs knows nothing else of their caches. Works on its own thread, one worker after
 * the other. Thread-safe; never blocks its callers.
 */
public final class CacheRecall implements AutoCloseable {
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(CacheRecall.class);

  private final SentHistory history;
  private final LogInterval failureLog = new LogInterval(LOG_INTERVAL, System::nanoTime);
  private final CompletableFuture<Consumer<AtWorker>> inbox = new CompletableFuture<>();
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("cache-recall").factory());

  public CacheRecall(SentHistory history) {
    this.history = history;
  }

  /** Starts to tell what is recalled. Call this once the fleet can be looked up. */
  public void start(Consumer<AtWorker> listener) {
    inbox.complete(listener);
  }

  /**
   * Keeps what the other routers are told. The stage completes within a bounded time and does not
   * fail.
   */
  public CompletionStage<Void> keep(PeerMessage message) {
    return history
        .add(message)
        .exceptionally(
            failure -> {
              if (failureLog.isDue()) {
                log.warn(
                    "event=caches_not_kept effect=\"if all routers stop, they have to learn again what workers have cached\" reason=\"{}\"",
                    failure.getMessage());
              }
              return null;
            });
  }

  /** A worker has become known. */
  public void appeared(String worker) {
    var _ =
        inbox
            .thenAcceptAsync(listener -> recall(worker, listener), reader)
            .whenComplete((nothing, failure) -> over(worker, failure));
  }

  /** The caches of a worker's engine are empty from now on. */
  public void engineDown(String worker) {
    var _ = history.forget(worker);
  }

  private void recall(String worker, Consumer<AtWorker> listener) {
    history.read(worker).toCompletableFuture().join().forEach(listener);
  }

  /** Whatever failed, the next worker's turn comes. */
  private static void over(String worker, @Nullable Throwable failure) {
    if (failure != null) {
      log.info(
          "event=cache_not_recalled worker={} effect=\"routers have to learn its cached prompts again\" reason=\"{}\"",
          worker,
          String.valueOf(failure.getCause()));
    }
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }
}
