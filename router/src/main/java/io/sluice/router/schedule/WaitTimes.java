package io.sluice.router.schedule;

import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Since when those of one task's requests wait that may do so for a limited time only, the longest
 * ones of each kind first. Not thread-safe.
 */
final class WaitTimes {
  private final Map<RequestKind, LinkedHashMap<String, Long>> kinds = new HashMap<>();

  /** A request waits from now on, whatever was said of it before. */
  void begin(RequestMetadata metadata, TimePoint now) {
    kinds
        .computeIfAbsent(RequestKind.of(metadata), any -> new LinkedHashMap<>())
        .putLast(metadata.requestId(), now.nanos());
  }

  /** A request waits no more, if it did. */
  void end(RequestMetadata metadata) {
    kinds.computeIfPresent(
        RequestKind.of(metadata),
        (kind, waiting) -> {
          waiting.remove(metadata.requestId());
          return waiting.isEmpty() ? null : waiting;
        });
  }

  /** The kinds of which requests wait. */
  List<RequestKind> kinds() {
    return List.copyOf(kinds.keySet());
  }

  /**
   * Takes out requests of a kind that wait too long, the longest ones first.
   *
   * @param isTooLong of the time since when one waits, nanoseconds; if it is for one, it is for
   *     those that wait longer
   * @param most so many are taken
   */
  List<String> take(RequestKind kind, LongPredicate isTooLong, int most) {
    List<String> taken = new ArrayList<>();
    kinds.computeIfPresent(
        kind,
        (same, waiting) -> {
          while (taken.size() < most
              && !waiting.isEmpty()
              && isTooLong.test(waiting.firstEntry().getValue())) {
            taken.add(waiting.pollFirstEntry().getKey());
          }
          return waiting.isEmpty() ? null : waiting;
        });
    return taken;
  }
}
