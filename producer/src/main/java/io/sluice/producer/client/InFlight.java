package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.ClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The streams of a client that have no end yet, at most so many. Thread-safe. */
final class InFlight {
  private final Map<String, ReplyStream> streams = new ConcurrentHashMap<>();
  private final int maxInFlight;
  private final Semaphore places;
  private volatile Optional<String> closedBecause = Optional.empty();

  InFlight(int maxInFlight) {
    this.maxInFlight = maxInFlight;
    this.places = new Semaphore(maxInFlight);
  }

  /**
   * Waits for a place.
   *
   * @throws ClientException if none became free in time
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

  /** Gives back a place that no stream took. */
  void unreserve() {
    places.release();
  }

  /**
   * Fills a reserved place.
   *
   * @return false if a request of that id is in flight already
   */
  boolean add(ReplyStream stream) {
    if (streams.putIfAbsent(stream.requestId(), stream) != null) {
      return false;
    }
    closedBecause.ifPresent(reason -> stream.fail(ErrorKind.UNAVAILABLE, reason));
    return true;
  }

  /** Frees the stream's place. */
  void remove(ReplyStream stream) {
    if (streams.remove(stream.requestId(), stream)) {
      places.release();
    }
  }

  Optional<ReplyStream> get(String requestId) {
    return Optional.ofNullable(streams.get(requestId));
  }

  void deliver(ReplyRecord record) {
    ReplyStream stream = streams.get(record.headers().requestId());
    if (stream != null) {
      stream.acceptLive(record);
    }
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

  /** Ends all streams, and every one that is added from now on. */
  void closeWith(String reason) {
    refuseMore(reason);
    failAll(ErrorKind.UNAVAILABLE, reason);
  }

  /** Why no more streams are taken; empty while they are. */
  Optional<String> closedBecause() {
    return closedBecause;
  }

  List<ReplyStream> all() {
    return List.copyOf(streams.values());
  }
}
