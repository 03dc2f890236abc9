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
 * Capacity that is reserved for requests that have waited long for room. Without it a large prompt
 * might wait forever, because small requests take what becomes free at a worker before it is
 * enough. A reserved worker gets nothing else, except requests of a higher priority, until the
 * large request is dispatched somewhere or no longer waits, or the worker can no longer serve it. A
 * worker without leases takes any prompt, so a reservation ends at the latest when everything that
 * runs there has ended. No reservation waits for another one.
 *
 * <p>INVARIANT: a request reserves at most one worker, and a worker is reserved for at most one
 * request. When a request reserves a worker, at most half of the workers that could serve it are
 * reserved, or one.
 *
 * <p>All tasks of a process share the reservations. Other routers do not know of them, and they are
 * not stored. Thread-safe.
 */
final class CapacityReservations {
  /** A request has waited long after this time, or after this share of its total time. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  static final int SHARE_OF_TIME = 4;

  private record Reservation(String requestId, Priority priority) {}

  private final ConcurrentMap<String, Reservation> byWorker = new ConcurrentHashMap<>();

  /** Returns whether a worker is reserved for another request of the same or a higher priority. */
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
   * Reserves the worker that is expected to have room first, if the request has waited long and all
   * workers lack memory. If too many workers are reserved, a worker that is reserved for a lower
   * priority is taken over.
   *
   * @param able the workers that could serve the request, in the order in which they are expected
   *     to have room; evaluated only for a request that has waited long
   */
  CapacityAnswer reserve(RequestMetadata metadata, Supplier<List<Room>> able, TimePoint now) {
    return hasWaitedLong(metadata, now) ? reserve(metadata, able.get()) : CapacityAnswer.NOT_DUE;
  }

  private synchronized CapacityAnswer reserve(RequestMetadata metadata, List<Room> able) {
    List<Room> open =
        able.stream().filter(room -> !isReservedForOther(metadata, room.worker())).toList();
    boolean lacksMemory = open.isEmpty() || open.getFirst().inMillis() > 0;
    if (able.isEmpty() || !lacksMemory) {
      return CapacityAnswer.NOT_DUE;
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
    return worker.isPresent() ? CapacityAnswer.RESERVED : CapacityAnswer.NONE_LEFT;
  }

  private static boolean hasWaitedLong(RequestMetadata metadata, TimePoint now) {
    return now.epochMillis() >= reservableFromMillis(metadata);
  }

  /** Returns the time from which a request has waited long, epoch milliseconds. */
  static long reservableFromMillis(RequestMetadata metadata) {
    long time = metadata.deadlineEpochMillis() - metadata.appendTimeMillis();
    return metadata.appendTimeMillis() + Math.min(PATIENCE.toMillis(), time / SHARE_OF_TIME);
  }

  /** Returns the worker that is reserved for a request. */
  Optional<String> workerFor(String requestId) {
    return byWorker.entrySet().stream()
        .filter(entry -> entry.getValue().requestId().equals(requestId))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Returns how many workers are reserved. */
  int size() {
    return byWorker.size();
  }

  synchronized void release(String requestId) {
    byWorker.values().removeIf(reservation -> reservation.requestId().equals(requestId));
  }
}
