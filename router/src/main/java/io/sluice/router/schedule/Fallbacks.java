package io.sluice.router.schedule;

import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * One task's requests that may be served by a fallback model, and those that have waited long
 * enough for it. Each goes on waiting for its own model, which comes first whenever it has room,
 * through three back-offs of 200, 400 and 800 ms, but no longer than for half of its remaining
 * time. Not thread-safe.
 */
final class Fallbacks {
  private static final List<Duration> BACK_OFFS =
      List.of(Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(800));

  private final Map<String, Long> dueMillis = new HashMap<>();
  private final PendingQueue overdue =
      new PendingQueue(new Backlog(Backlog.Limits.ofRequests(Integer.MAX_VALUE)));
  private final Timers timers;
  private final RandomGenerator random;

  /**
   * Nothing waits yet.
   *
   * @param timers remind of a request when it has waited long enough
   */
  Fallbacks(Timers timers, RandomGenerator random) {
    this.timers = timers;
    this.random = random;
  }

  /** A request waits, or still does. */
  void waits(RequestMetadata metadata, TimePoint now) {
    metadata
        .onFallback()
        .ifPresent(
            onFallback -> {
              long due =
                  dueMillis.computeIfAbsent(
                      metadata.requestId(), any -> now.epochMillis() + patience(metadata, now));
              if (due <= now.epochMillis()) {
                overdue.add(onFallback);
              } else {
                timers.set(due, metadata.requestId());
              }
            });
  }

  /** A request does not wait any more. */
  void leaves(RequestMetadata metadata) {
    if (dueMillis.remove(metadata.requestId()) != null) {
      metadata.onFallback().ifPresent(overdue::remove);
    }
  }

  /** Those that may go to their fallback models now, under the names of these. */
  PendingQueue overdue() {
    return overdue;
  }

  /** Each back-off is jittered by half. */
  private long patience(RequestMetadata metadata, TimePoint now) {
    long wanted =
        BACK_OFFS.stream()
            .mapToLong(Duration::toMillis)
            .map(millis -> millis / 2 + random.nextLong(millis + 1))
            .sum();
    return Math.min(wanted, Math.max(0, (metadata.deadlineEpochMillis() - now.epochMillis()) / 2));
  }
}
