package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.ClientException;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.stream.FoldedStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The streams of a client that have not ended, up to a maximum. Thread-safe. */
final class InFlight {
  private final Map<String, FoldedStream> streams = new ConcurrentHashMap<>();
  private final int maxInFlight;
  private final Semaphore places;
  private volatile Optional<String> closedBecause = Optional.empty();

  InFlight(int maxInFlight) {
    this.maxInFlight = maxInFlight;
    this.places = new Semaphore(maxInFlight);
  }

  /**
   * Waits until another stream is allowed, and reserves a place for it.
   *
   * @throws ClientException if no place became free in time
   */
  void reserve(Duration timeout) {
    try {
      if (!places.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ClientException(
            ClientException.Kind.BUSY,
            "%d requests are in flight, and none ended within %d ms"
                .formatted(maxInFlight, timeout.toMillis()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClientException(
          ClientException.Kind.BUSY, "interrupted while waiting for a free place", e);
    }
  }

  /** Releases a place that no stream has taken. */
  void release() {
    places.release();
  }

  /**
   * Adds a stream in a reserved place.
   *
   * @return false if a request of that id is already in flight
   */
  boolean add(FoldedStream stream) {
    if (streams.putIfAbsent(stream.requestId(), stream) != null) {
      return false;
    }
    closedBecause.ifPresent(reason -> stream.fail(ErrorKind.UNAVAILABLE, reason));
    return true;
  }

  /** Releases the stream's place. */
  void remove(FoldedStream stream) {
    if (streams.remove(stream.requestId(), stream)) {
      places.release();
    }
  }

  Optional<FoldedStream> get(String requestId) {
    return Optional.ofNullable(streams.get(requestId));
  }

  void deliver(ReplyRecord record) {
    FoldedStream stream = streams.get(record.headers().requestId());
    if (stream != null) {
      stream.acceptLive(record);
    }
  }

  /** Cancels the requests that end with their reader. */
  void cancelThoseOfTheirReader() {
    all().stream().filter(FoldedStream::isCancelledOnClose).forEach(FoldedStream::cancel);
  }

  void expire(long nowNanos) {
    streams.values().forEach(stream -> stream.expire(nowNanos));
  }

  void failAll(ErrorKind kind, String message) {
    List.copyOf(streams.values()).forEach(stream -> stream.fail(kind, message));
  }

  /** Ends every stream that is added from now on. */
  void refuseMore(String reason) {
    closedBecause = closedBecause.or(() -> Optional.of(reason));
  }

  /** Ends all streams, and every stream that is added from now on. */
  void closeWith(String reason) {
    refuseMore(reason);
    failAll(ErrorKind.UNAVAILABLE, reason);
  }

  /** Returns why no more streams are accepted; empty while they are. */
  Optional<String> closedBecause() {
    return closedBecause;
  }

  int count() {
    return streams.size();
  }

  List<FoldedStream> all() {
    return List.copyOf(streams.values());
  }
}
