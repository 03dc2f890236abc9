package io.sluice.router.schedule;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * Cancels that overtook their requests, or are none of this partition's: a sender that does not
 * know the partition asks all of them, and has those kept for a shorter time that are probably none
 * of it. Each is kept until the time it carries, for an hour if it carries none and for a day at
 * most; of more than ten thousand, those whose time is over first are given up. They are stored, so
 * that they outlive the task, and told to {@link CancelledIds} while it lives, for their requests
 * may be parked. Not thread-safe.
 */
final class EarlyCancels {
  static final int MOST = 10_000;
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration LONGEST_KEPT = Duration.ofHours(24);

  /**
   * @param order tells those of one time apart: the older one goes first
   */
  private record Kept(EarlyCancel cancel, long order) {
    long untilMillis() {
      return cancel.untilMillis();
    }
  }

  private final int partition;
  private final RequestStore store;
  private final CancelledIds cancelledIds;
  private final Map<String, Kept> byId = new HashMap<>();
  private final NavigableSet<Kept> soonestOver =
      new TreeSet<>(Comparator.comparingLong(Kept::untilMillis).thenComparingLong(Kept::order));
  private long added;

  EarlyCancels(int partition, RequestStore store, CancelledIds cancelledIds) {
    this.partition = partition;
    this.store = store;
    this.cancelledIds = cancelledIds;
  }

  void add(String requestId, OptionalLong keepUntilMillis, Now now) {
    long until =
        Math.min(
            keepUntilMillis.orElse(now.epochMillis() + KEPT.toMillis()),
            now.epochMillis() + LONGEST_KEPT.toMillis());
    EarlyCancel cancel = new EarlyCancel(requestId, until);
    store.keep(cancel);
    restore(cancel);
    while (byId.size() > MOST) {
      forgetFirst();
    }
  }

  /** One that an earlier task has stored. */
  void restore(EarlyCancel cancel) {
    Kept kept = new Kept(cancel, added++);
    Kept before = byId.put(cancel.requestId(), kept);
    if (before == null) {
      cancelledIds.add(partition, cancel.requestId());
    } else {
      soonestOver.remove(before);
    }
    soonestOver.add(kept);
  }

  /**
   * Whether the request, which has come now, was cancelled before; the cancel is used up, and the
   * request is to be stored in its place.
   */
  boolean take(String requestId, Now now) {
    Kept kept = byId.remove(requestId);
    if (kept == null) {
      return false;
    }
    soonestOver.remove(kept);
    cancelledIds.remove(partition, requestId);
    return now.epochMillis() <= kept.untilMillis();
  }

  /** Forgets those whose time is over. */
  void expire(Now now) {
    while (!soonestOver.isEmpty() && soonestOver.getFirst().untilMillis() < now.epochMillis()) {
      forgetFirst();
    }
  }

  private void forgetFirst() {
    String requestId = soonestOver.removeFirst().cancel().requestId();
    byId.remove(requestId);
    cancelledIds.remove(partition, requestId);
    store.forget(requestId);
  }

  /** They are this task's no more, but stay stored. */
  void close() {
    byId.keySet().forEach(requestId -> cancelledIds.remove(partition, requestId));
    byId.clear();
    soonestOver.clear();
  }

  int size() {
    return byId.size();
  }
}
