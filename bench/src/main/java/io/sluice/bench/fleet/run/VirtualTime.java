package io.sluice.bench.fleet.run;

import java.util.PriorityQueue;

/**
 * A clock that jumps from event to event. Events of the same time happen in the order in which they
 * were scheduled. Not thread-safe.
 */
public final class VirtualTime {
  private record Event(long nanos, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return nanos == other.nanos
          ? Long.compare(number, other.number)
          : Long.compare(nanos, other.nanos);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long numbers;
  private long nowNanos;

  /** Returns the time since the start of the run. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Schedules an action at a time that has not passed. */
  public void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, nowNanos), numbers++, action));
  }

  /** Schedules an action periodically, for as long as time is run. */
  public void every(long firstNanos, long periodNanos, Runnable action) {
    at(
        firstNanos,
        () -> {
          action.run();
          every(nowNanos + periodNanos, periodNanos, action);
        });
  }

  /** Runs all events until a time. */
  public void runUntil(long untilNanos) {
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
