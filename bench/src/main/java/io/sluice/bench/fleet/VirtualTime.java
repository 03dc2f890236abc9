package io.sluice.bench.fleet;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that jumps from event to event. Events of the same time happen in the order in which they
 * were set. Not thread-safe.
 */
final class VirtualTime {
  private record Event(long nanos, long number, Runnable action) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
  private long numbers;
  private long nowNanos;

  long nowNanos() {
    return nowNanos;
  }

  /** Has something happen at a time, which must not have passed. */
  void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, nowNanos), numbers++, action));
  }

  /** Has something happen again and again, at least as long as time is run. */
  void every(long firstNanos, long periodNanos, Runnable action) {
    at(
        firstNanos,
        () -> {
          action.run();
          every(nowNanos + periodNanos, periodNanos, action);
        });
  }

  /** Lets everything happen that is to happen until a time. */
  void runUntil(long untilNanos) {
    for (Event next = events.peek();
        next != null && next.nanos() <= untilNanos;
        next = events.peek()) {
      events.remove();
      nowNanos = next.nanos();
      next.action().run();
    }
    nowNanos = Math.max(nowNanos, untilNanos);
  }
}
