package io.sluice.producer.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends something once, however often it is asked to; again only if that failed. Thread-safe. */
final class SingleSending {
  private final AtomicReference<@Nullable CompletableFuture<Void>> sending =
      new AtomicReference<>();

  /**
   * @return completes when the first sending does
   */
  CompletableFuture<Void> send(Supplier<CompletableFuture<Void>> sender) {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> earlier = sending.compareAndExchange(null, mine);
    if (earlier != null) {
      return earlier.copy();
    }
    var _ =
        sender
            .get()
            .whenComplete(
                (taken, error) -> {
                  if (error == null) {
                    mine.complete(null);
                  } else {
                    // First, so that who hears of the failure can try again.
                    sending.set(null);
                    mine.completeExceptionally(error);
                  }
                });
    return mine.copy();
  }
}
