package io.sluice.router.placement;

import io.sluice.common.protocol.Priority;
import io.sluice.router.policy.Decision.Room;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
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
final class Holds {
  /** After so long, or this share of its time, a request has waited long. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  static final int SHARE_OF_TIME = 4;

  private record Hold(String requestId, Priority priority) {}

  private final ConcurrentMap<String, Hold> byWorker = new ConcurrentHashMap<>();

  /** Whether a worker is held for another request that this one does not go before. */
  boolean keepsOff(RequestFacts facts, String worker) {
    if (byWorker.isEmpty()) {
      return false;
    }
    Hold hold = byWorker.get(worker);
    return hold != null
        && !hold.requestId().equals(facts.requestId())
        && hold.priority().compareTo(facts.priority()) <= 0;
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
  Optional<String> hold(RequestFacts facts, Supplier<List<Room>> able, Now now) {
    return isLate(facts, now) ? hold(facts, able.get()) : Optional.empty();
  }

  private synchronized Optional<String> hold(RequestFacts facts, List<Room> able) {
    List<Room> open = able.stream().filter(room -> !keepsOff(facts, room.worker())).toList();
    if (open.isEmpty() || open.getFirst().inMillis() == 0) {
      return Optional.empty();
    }
    release(facts.requestId());
    long held = able.stream().filter(room -> byWorker.containsKey(room.worker())).count();
    boolean takesOver = held >= Math.max(1, able.size() / 2);
    Optional<String> worker =
        open.stream()
            .map(Room::worker)
            .filter(each -> byWorker.containsKey(each) == takesOver)
            .findFirst();
    worker.ifPresent(each -> byWorker.put(each, new Hold(facts.requestId(), facts.priority())));
    return worker;
  }

  private static boolean isLate(RequestFacts facts, Now now) {
    return now.epochMillis() >= lateAtMillis(facts);
  }

  /** From when on a request has waited long, epoch milliseconds. */
  static long lateAtMillis(RequestFacts facts) {
    long time = facts.deadlineEpochMillis() - facts.appendTimeMillis();
    return facts.appendTimeMillis() + Math.min(PATIENCE.toMillis(), time / SHARE_OF_TIME);
  }

  /** The worker that is held for a request. */
  Optional<String> heldFor(String requestId) {
    return byWorker.entrySet().stream()
        .filter(hold -> hold.getValue().requestId().equals(requestId))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** How many workers are held. */
  int size() {
    return byWorker.size();
  }

  synchronized void release(String requestId) {
    byWorker.values().removeIf(hold -> hold.requestId().equals(requestId));
  }
}
