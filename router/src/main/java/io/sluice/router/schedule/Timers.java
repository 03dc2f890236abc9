package io.sluice.router.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Which requests are to be looked at again, and when. A timer is only a reminder: whoever is
 * reminded looks at the request's state, so a timer that is no longer needed does no harm. Not
 * thread-safe.
 */
final class Timers {
  private record Timer(long atMillis, String requestId) {}

  /** One that is set anew for the same time is the same: requests come back thousands of times. */
  private final TreeSet<Timer> queue =
      new TreeSet<>(Comparator.comparingLong(Timer::atMillis).thenComparing(Timer::requestId));

  void set(long atEpochMillis, String requestId) {
    queue.add(new Timer(atEpochMillis, requestId));
  }

  /** Takes out what is due; each id once. */
  List<String> due(long nowEpochMillis) {
    List<String> due = new ArrayList<>();
    while (!queue.isEmpty() && queue.first().atMillis() <= nowEpochMillis) {
      due.add(queue.pollFirst().requestId());
    }
    return due.stream().distinct().toList();
  }
}
