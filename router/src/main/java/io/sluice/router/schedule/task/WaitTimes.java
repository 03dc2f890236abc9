package io.sluice.router.schedule.task;

import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * The start times of the requests of one task that may wait for a limited time only, the oldest of
 * each kind first. Not thread-safe.
 */
public final class WaitTimes {
  private final Map<RequestKind, LinkedHashMap<String, Long>> kinds = new HashMap<>();

  /** A request starts to wait now, even if an earlier start is known. */
  public void begin(RequestMetadata metadata, TimePoint now) {
    kinds
        .computeIfAbsent(RequestKind.of(metadata), any -> new LinkedHashMap<>())
        .putLast(metadata.requestId(), now.nanos());
  }

  /** A request no longer waits, if it did. */
  void end(RequestMetadata metadata) {
    kinds.computeIfPresent(
        RequestKind.of(metadata),
        (kind, waiting) -> {
          waiting.remove(metadata.requestId());
          return waiting.isEmpty() ? null : waiting;
        });
  }

  /** Returns the kinds of the waiting requests. */
  public List<RequestKind> kinds() {
    return List.copyOf(kinds.keySet());
  }

  /**
   * Removes and returns requests of a kind that have waited too long, the oldest first.
   *
   * @param isTooLong tests a start time in nanoseconds; if it holds for one, it holds for all
   *     earlier ones
   * @param isExempt tests an id; what is exempt stays
   * @param most the maximum number to remove
   */
  public List<String> take(
      RequestKind kind, LongPredicate isTooLong, Predicate<String> isExempt, int most) {
    List<String> taken = new ArrayList<>();
    kinds.computeIfPresent(
        kind,
        (same, waiting) -> {
          Iterator<Map.Entry<String, Long>> oldestFirst = waiting.entrySet().iterator();
          while (taken.size() < most && oldestFirst.hasNext()) {
            Map.Entry<String, Long> oldest = oldestFirst.next();
            if (!isTooLong.test(oldest.getValue())) {
              break;
            }
            if (!isExempt.test(oldest.getKey())) {
              taken.add(oldest.getKey());
              oldestFirst.remove();
            }
          }
          return waiting.isEmpty() ? null : waiting;
        });
    return taken;
  }
}
