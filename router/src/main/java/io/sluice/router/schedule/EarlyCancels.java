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
 * most; of more than ten thousand, those whose time is over first are given up. In memory alone: a
 * task that moves forgets them. Not thread-safe.
 */
final class EarlyCancels {
  static final int MOST = 10_000;
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration LONGEST_KEPT = Duration.ofHours(24);

  /**
   * @param order tells those of one time apart: the older one goes first
   */
  private record Kept(String requestId, long untilMillis, long order) {}

  private final Map<String, Kept> byId = new HashMap<>();
  private final NavigableSet<Kept> soonestOver =
      new TreeSet<>(Comparator.comparingLong(Kept::untilMillis).thenComparingLong(Kept::order));
  private long added;

  void add(String requestId, OptionalLong keepUntilMillis, Now now) {
    long until =
        Math.min(
            keepUntilMillis.orElse(now.epochMillis() + KEPT.toMillis()),
            now.epochMillis() + LONGEST_KEPT.toMillis());
    Kept kept = new Kept(requestId, until, added++);
    Kept before = byId.put(requestId, kept);
    if (before != null) {
      soonestOver.remove(before);
    }
    soonestOver.add(kept);
    while (byId.size() > MOST || isOver(now)) {
      byId.remove(soonestOver.removeFirst().requestId());
    }
  }

  /** Whether the request was cancelled before it came; the cancel is used up. */
  boolean take(String requestId, Now now) {
    Kept kept = byId.remove(requestId);
    if (kept == null) {
      return false;
    }
    soonestOver.remove(kept);
    return now.epochMillis() <= kept.untilMillis();
  }

  int size() {
    return byId.size();
  }

  private boolean isOver(Now now) {
    return !soonestOver.isEmpty() && soonestOver.getFirst().untilMillis() < now.epochMillis();
  }
}
