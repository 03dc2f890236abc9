package io.sluice.producer.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends a message once, however often it is requested; again only if that failed. Thread-safe. */
final class SingleSend {
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
                    // Reset first, so that a caller that is notified of the failure can try again.
                    sending.set(null);
                    mine.completeExceptionally(error);
                  }
                });
    return mine.copy();
  }
}
