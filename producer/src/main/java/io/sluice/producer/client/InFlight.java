package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
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
  private final Semaphore places;
  private volatile Optional<String> closedBecause = Optional.empty();

  InFlight(int maxInFlight) {
    this.places = new Semaphore(maxInFlight);
  }

  /** Waits for a place; false if none became free in time. */
  boolean reserve(Duration timeout) throws InterruptedException {
    return places.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS);
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

  void deliver(ReplyRecord record) {
    ReplyStream stream = streams.get(record.headers().requestId());
    if (stream != null) {
      stream.accept(record);
    }
  }

  void expire(long nowNanos) {
    streams.values().forEach(stream -> stream.expire(nowNanos));
  }

  void failAll(ErrorKind kind, String message) {
    List.copyOf(streams.values()).forEach(stream -> stream.fail(kind, message));
  }

  /** Ends all streams, and every one that is added from now on. */
  void closeWith(String reason) {
    closedBecause = closedBecause.or(() -> Optional.of(reason));
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
