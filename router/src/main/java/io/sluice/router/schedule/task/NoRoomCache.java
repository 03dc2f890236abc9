package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Priority;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A negative cache of requests that found no room, so that they are not compared with the whole
 * fleet at every event. They are tried again when other requests come first, when a changed worker
 * would take one of them, when one has waited long enough to reserve capacity, or after a retry
 * interval. The interval covers changes that raise no event: the dispatches reported by other
 * routers expire, a breaker leaves its open state, a topic appears. Not thread-safe.
 *
 * @param <K> what is tried: a group of requests, or one request with reserved capacity
 */
public final class NoRoomCache<K> {
  /** The interval between heartbeats. */
  static final Duration RETRY_INTERVAL = Duration.ofMillis(250);

  /** Bulk enters when the prompts of other requests are computed, which raises no event. */
  static final Duration BULK_RETRY_INTERVAL = Duration.ofMillis(40);

  /** What no known worker could take waits for one that joins, which raises an event. */
  static final Duration UNSERVABLE_RETRY_INTERVAL = Duration.ofSeconds(1);

  /**
   * If more requests found no room, any worker with a free slot is assumed to have room for one.
   */
  private static final int MOST_EXAMINED = 4;

  /** One try that found no room. */
  private static final class Miss {
    private final String first;
    private final long nanos;
    private final List<RequestMetadata> examined = new ArrayList<>();
    private final List<RequestMetadata> unservable = new ArrayList<>();
    private final Set<String> awaited = new HashSet<>();
    private boolean hasMore;
    private long dueMillis = Long.MAX_VALUE;

    Miss(String first, long nanos) {
      this.first = first;
      this.nanos = nanos;
    }
  }

  private final Placement placement;
  private final Map<K, Miss> misses = new HashMap<>();

  public NoRoomCache(Placement placement) {
    this.placement = placement;
  }

  /** A try begins with this request. */
  public void begin(K key, String first, TimePoint now) {
    misses.put(key, new Miss(first, now.nanos()));
  }

  /**
   * A request of the current try found no worker that could take it even if it were idle. Of
   * several, the first and the last stand for all: the one whose turn it is, and the shortest.
   */
  public void foundNoWorker(K key, RequestMetadata metadata) {
    Miss miss = misses.get(key);
    if (miss != null) {
      if (miss.unservable.size() == 2) {
        miss.unservable.removeLast();
      }
      miss.unservable.add(metadata);
    }
  }

  /** A request found no room in the current try. */
  public void foundNone(K key, RequestMetadata metadata, TimePoint now) {
    Miss miss = misses.get(key);
    if (miss == null) {
      return;
    }
    if (miss.examined.size() < MOST_EXAMINED) {
      miss.examined.add(metadata);
    } else {
      miss.hasMore = true;
    }
    long reservableMillis = TaskReservations.reservableFromMillis(metadata);
    if (reservableMillis > now.epochMillis()) {
      miss.dueMillis = Math.min(miss.dueMillis, reservableMillis);
    }
  }

  /**
   * A request of the current try waits for a slot of a worker.
   *
   * @param untilMillis when it has to be tried again in any case, in epoch milliseconds
   */
  public void waitsFor(K key, String worker, long untilMillis) {
    Miss miss = misses.get(key);
    if (miss != null) {
      miss.awaited.add(worker);
      miss.dueMillis = Math.min(miss.dueMillis, untilMillis);
    }
  }

  /** Something was dispatched, or other requests come first: the next try is due at once. */
  public void forget(K key) {
    misses.remove(key);
  }

  /** Drops all entries but these. */
  public void retain(Collection<K> keys) {
    misses.keySet().retainAll(keys);
  }

  /**
   * Returns whether another try may find room.
   *
   * @param first the request with which it would begin
   * @param changed the workers that changed since the last call
   */
  public boolean isDue(K key, String first, List<WorkerView> changed, TimePoint now) {
    Miss miss = misses.get(key);
    if (miss == null || !miss.first.equals(first)) {
      return true;
    }
    if (now.nanos() - miss.nanos >= retryInterval(miss).toNanos()
        || now.epochMillis() >= miss.dueMillis) {
      return true;
    }
    if (changed.isEmpty()) {
      return false;
    }
    List<RequestMetadata> examined =
        Stream.concat(miss.examined.stream(), miss.unservable.stream()).toList();
    return changed.stream()
        .anyMatch(
            view ->
                (miss.hasMore || miss.awaited.contains(view.snapshot().id()))
                    ? placement.hasSlot(view)
                    : placement.wouldTake(view, examined, now));
  }

  private static Duration retryInterval(Miss miss) {
    if (!miss.unservable.isEmpty() && miss.examined.isEmpty() && miss.awaited.isEmpty()) {
      return UNSERVABLE_RETRY_INTERVAL;
    }
    boolean isBulk =
        miss.examined.stream().anyMatch(metadata -> metadata.priority() == Priority.BULK);
    return isBulk ? BULK_RETRY_INTERVAL : RETRY_INTERVAL;
  }
}
