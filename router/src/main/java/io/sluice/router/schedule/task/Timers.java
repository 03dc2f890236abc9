package io.sluice.router.schedule.task;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Timers of requests. A timer is only a trigger to check the state of a request, so one that is no
 * longer needed does no harm but the room that it takes. Not thread-safe.
 */
public final class Timers {
  private record Timer(long atMillis, String requestId) {}

  /**
   * Setting a timer again for the same time has no effect, because a request may return thousands
   * of times.
   */
  private final TreeSet<Timer> queue =
      new TreeSet<>(Comparator.comparingLong(Timer::atMillis).thenComparing(Timer::requestId));

  public void set(long atEpochMillis, String requestId) {
    queue.add(new Timer(atEpochMillis, requestId));
  }

  /** Removes a timer, if it is set. */
  public void cancel(long atEpochMillis, String requestId) {
    queue.remove(new Timer(atEpochMillis, requestId));
  }

  /** Returns whether a timer is due by a time. */
  public boolean areDueBy(long epochMillis) {
    return !queue.isEmpty() && queue.first().atMillis() <= epochMillis;
  }

  /** Removes and returns the requests that are due, each once. */
  public List<String> due(long nowEpochMillis) {
    List<String> due = new ArrayList<>();
    while (!queue.isEmpty() && queue.first().atMillis() <= nowEpochMillis) {
      due.add(queue.pollFirst().requestId());
    }
    return due.stream().distinct().toList();
  }
}
