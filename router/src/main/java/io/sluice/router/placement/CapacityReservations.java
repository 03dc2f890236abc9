package io.sluice.router.placement;

import io.sluice.common.protocol.Priority;
import io.sluice.router.policy.Decision.Room;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Workers that are kept free for requests that have waited long for room. Without that a large
 * prompt might wait for ever: small requests take what becomes free at a worker before it is enough
 * for the large one. A held worker is sent nothing else, but for requests of a higher priority,
 * until the large one was sent somewhere, waits no more, or the worker cannot serve it any more. As
 * a worker without leases takes any prompt, that ends at the latest when all that runs there has
 * ended; so no hold waits for another.
 *
 * <p>INVARIANT: a request holds one worker at most, and a worker is held for one request at most.
 * Of the workers that could serve a request at most half, or one, are held when it begins to hold
 * one.
 *
 * <p>One for all tasks of a process, unknown to other routers; in memory only. Thread-safe.
 */
final class CapacityReservations {
  /** After so long, or this share of its time, a request has waited long. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  static final int SHARE_OF_TIME = 4;

  private record Reservation(String requestId, Priority priority) {}

  private final ConcurrentMap<String, Reservation> byWorker = new ConcurrentHashMap<>();

  /** Whether a worker is held for another request that this one does not go before. */
  boolean isReservedForOther(RequestMetadata metadata, String worker) {
    if (byWorker.isEmpty()) {
      return false;
    }
    Reservation reservation = byWorker.get(worker);
    return reservation != null
        && !reservation.requestId().equals(metadata.requestId())
        && reservation.priority().compareTo(metadata.priority()) <= 0;
  }

  /**
   * Holds the worker that is expected to have room soonest, if the request has waited long and it
   * is memory that all workers lack. Where too many are held already, it takes over one that is
   * held for a request of a lower priority.
   *
   * @param able the workers that could serve it, the one with room soonest first; asked only of a
   *     request that has waited long
   * @return the worker; empty if none is held for it
   */
  Optional<String> reserve(RequestMetadata metadata, Supplier<List<Room>> able, TimePoint now) {
    return hasWaitedLong(metadata, now) ? reserve(metadata, able.get()) : Optional.empty();
  }

  private synchronized Optional<String> reserve(RequestMetadata metadata, List<Room> able) {
    List<Room> open =
        able.stream().filter(room -> !isReservedForOther(metadata, room.worker())).toList();
    if (open.isEmpty() || open.getFirst().inMillis() == 0) {
      return Optional.empty();
    }
    release(metadata.requestId());
    long reserved = able.stream().filter(room -> byWorker.containsKey(room.worker())).count();
    boolean takesOver = reserved >= Math.max(1, able.size() / 2);
    Optional<String> worker =
        open.stream()
            .map(Room::worker)
            .filter(each -> byWorker.containsKey(each) == takesOver)
            .findFirst();
    worker.ifPresent(
        each -> byWorker.put(each, new Reservation(metadata.requestId(), metadata.priority())));
    return worker;
  }

  private static boolean hasWaitedLong(RequestMetadata metadata, TimePoint now) {
    return now.epochMillis() >= reservableFromMillis(metadata);
  }

  /** From when on a request has waited long, epoch milliseconds. */
  static long reservableFromMillis(RequestMetadata metadata) {
    long time = metadata.deadlineEpochMillis() - metadata.appendTimeMillis();
    return metadata.appendTimeMillis() + Math.min(PATIENCE.toMillis(), time / SHARE_OF_TIME);
  }

  /** The worker that is held for a request. */
  Optional<String> workerFor(String requestId) {
    return byWorker.entrySet().stream()
        .filter(entry -> entry.getValue().requestId().equals(requestId))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** How many workers are held. */
  int size() {
    return byWorker.size();
  }

  synchronized void release(String requestId) {
    byWorker.values().removeIf(reservation -> reservation.requestId().equals(requestId));
  }
}
