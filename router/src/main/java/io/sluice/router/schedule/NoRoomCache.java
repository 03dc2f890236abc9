package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * What found no room, so that it is not compared with the whole fleet again at every event: only
 * once other requests are in question, or one of the workers that have changed since would take one
 * of them, or one has waited so long that a worker may be held for it, or after a while. That while
 * covers what nobody tells of: what other routers say they have sent runs out, a breaker's time is
 * over, a topic appears. Not thread-safe.
 *
 * @param <K> what is looked at: a group of requests, or one that holds a worker
 */
final class NoRoomCache<K> {
  /** As often as workers are heard of. */
  static final Duration RETRY_INTERVAL = Duration.ofMillis(250);

  /** Bulk work enters when others' prompts are done, of which nobody tells either. */
  static final Duration BULK_RETRY_INTERVAL = Duration.ofMillis(40);

  /** Of more that found no room, any worker with a free slot is taken to have some for one. */
  private static final int MOST_EXAMINED = 4;

  /** One look that found no room. */
  private static final class Miss {
    private final String first;
    private final long nanos;
    private final List<RequestMetadata> examined = new ArrayList<>();
    private boolean hasMore;
    private long dueMillis = Long.MAX_VALUE;

    Miss(String first, long nanos) {
      this.first = first;
      this.nanos = nanos;
    }
  }

  private final Map<K, Miss> misses = new HashMap<>();

  /** A look begins, with this request. */
  void begin(K key, String first, TimePoint now) {
    misses.put(key, new Miss(first, now.nanos()));
  }

  /** A request found no room in the look that has begun. */
  void foundNone(K key, RequestMetadata metadata, TimePoint now) {
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

  /** Something was sent, or other requests are in question: the next look is due at once. */
  void forget(K key) {
    misses.remove(key);
  }

  /** Only these are still looked at. */
  void retain(Collection<K> keys) {
    misses.keySet().retainAll(keys);
  }

  /**
   * Whether another look may find room.
   *
   * @param first the request with which it would begin
   * @param changed the workers that changed since the last time this was asked
   * @param takes whether a worker would take one of some requests; empty stands for any request
   */
  boolean isDue(
      K key,
      String first,
      List<WorkerView> changed,
      BiPredicate<WorkerView, Optional<List<RequestMetadata>>> takes,
      TimePoint now) {
    Miss miss = misses.get(key);
    if (miss == null || !miss.first.equals(first)) {
      return true;
    }
    boolean isBulk =
        miss.examined.stream().anyMatch(metadata -> metadata.priority() == Priority.BULK);
    Duration again = isBulk ? BULK_RETRY_INTERVAL : RETRY_INTERVAL;
    if (now.nanos() - miss.nanos >= again.toNanos() || now.epochMillis() >= miss.dueMillis) {
      return true;
    }
    Optional<List<RequestMetadata>> examined =
        miss.hasMore ? Optional.empty() : Optional.of(miss.examined);
    return changed.stream().anyMatch(view -> takes.test(view, examined));
  }
}
