package io.sluice.producer.client;

import io.sluice.common.protocol.Control;
import io.sluice.producer.stream.FoldedStream;
import io.sluice.producer.stream.Patience;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Sends control messages about requests in flight. Never blocks, although Kafka's producer may, for
 * some seconds. Thread-safe.
 */
final class Controls {
  private final RequestSender sender;
  private final InFlight inFlight;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Duration grace;
  private final Executor executor;
  private final Queue<CompletableFuture<Void>> sending = new ConcurrentLinkedQueue<>();

  /**
   * @param grace how long after its deadline a stream waits for the pool's answer
   * @param executor for tasks that block
   */
  Controls(
      RequestSender sender,
      InFlight inFlight,
      Clock clock,
      LongSupplier nanoTime,
      Duration grace,
      Executor executor) {
    this.sender = sender;
    this.inFlight = inFlight;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.grace = grace;
    this.executor = executor;
  }

  CompletableFuture<Void> cancel(String requestId) {
    Optional<FoldedStream> stream = inFlight.get(requestId);
    return stream.isPresent()
        ? stream.get().tryCancel()
        : send(new Control.Cancel(requestId), OptionalInt.empty());
  }

  /**
   * Cancels the request of a stream. Once Kafka has accepted the message, the stream ends after a
   * grace period if the pool does not confirm the cancellation.
   */
  CompletableFuture<Void> cancel(FoldedStream stream) {
    return send(new Control.Cancel(stream.requestId()), stream.requestPartition())
        .thenRun(() -> stream.expireCancelledBy(nanoTime.getAsLong() + grace.toNanos()));
  }

  CompletableFuture<Void> extend(String requestId, Instant deadline) {
    Duration left = Duration.between(clock.instant(), deadline);
    long waitNanos = Patience.bounded(left).plus(grace).toNanos();
    inFlight
        .get(requestId)
        .ifPresent(stream -> stream.expireNotBefore(nanoTime.getAsLong() + waitNanos));
    return send(new Control.Extend(requestId, deadline.toEpochMilli()));
  }

  /**
   * Sends a control message to the request's partition if the request was sent by this client, or
   * else to all partitions.
   */
  CompletableFuture<Void> send(Control control) {
    return send(
        control,
        inFlight
            .get(control.requestId())
            .map(FoldedStream::requestPartition)
            .orElse(OptionalInt.empty()));
  }

  private CompletableFuture<Void> send(Control control, OptionalInt requestPartition) {
    CompletableFuture<Void> sent =
        CompletableFuture.completedFuture(control)
            .thenComposeAsync(
                message -> sender.send(message, requestPartition, clock.instant()), executor);
    sending.removeIf(CompletableFuture::isDone);
    sending.add(sent);
    return sent;
  }

  /** Waits until Kafka has accepted or refused all messages so far. */
  void await(Duration limit) {
    CompletableFuture.allOf(sending.toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(failure -> null)
        .join();
  }
}
