package io.sluice.producer.client;

import io.sluice.common.protocol.Control;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Tells the pool something about requests that are on their way. Thread-safe. */
final class Controls {
  private final RequestSender sender;
  private final InFlight inFlight;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Duration grace;

  /**
   * @param grace how long a stream waits for the pool's word after its deadline
   */
  Controls(
      RequestSender sender, InFlight inFlight, Clock clock, LongSupplier nanoTime, Duration grace) {
    this.sender = sender;
    this.inFlight = inFlight;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.grace = grace;
  }

  CompletableFuture<Void> cancel(String requestId) {
    Optional<ReplyStream> stream = inFlight.get(requestId);
    return stream.isPresent()
        ? stream.get().tryCancel()
        : send(new Control.Cancel(requestId), OptionalInt.empty());
  }

  /**
   * Ends a stream's request; once Kafka has taken that, the stream ends after some grace if the
   * pool does not confirm it.
   */
  CompletableFuture<Void> cancel(ReplyStream stream) {
    return send(new Control.Cancel(stream.requestId()), stream.requestPartition())
        .thenRun(() -> stream.expireCancelledBy(nanoTime.getAsLong() + grace.toNanos()));
  }

  CompletableFuture<Void> extend(String requestId, Instant deadline) {
    Duration left = Duration.between(clock.instant(), deadline);
    long waitNanos = SluiceClient.bounded(left).plus(grace).toNanos();
    inFlight
        .get(requestId)
        .ifPresent(stream -> stream.expireNotBefore(nanoTime.getAsLong() + waitNanos));
    return send(new Control.Extend(requestId, deadline.toEpochMilli()));
  }

  /** To the request's partition if it was sent from here, else to all. */
  CompletableFuture<Void> send(Control control) {
    return send(
        control,
        inFlight
            .get(control.requestId())
            .map(ReplyStream::requestPartition)
            .orElse(OptionalInt.empty()));
  }

  private CompletableFuture<Void> send(Control control, OptionalInt requestPartition) {
    return sender.send(control, requestPartition, clock.instant());
  }
}
