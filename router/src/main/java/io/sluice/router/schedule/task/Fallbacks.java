package io.sluice.router.schedule.task;

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
 * Requests of one task that a fallback model may serve, and those of them that have waited long
 * enough for it. Each request keeps waiting for its own model as well, which is preferred whenever
 * it has room. The wait consists of three backoffs of 200, 400 and 800 ms, but never exceeds half
 * of the remaining time to its deadline or, if the request says how soon it wants its first token,
 * to that. Not thread-safe.
 */
public final class Fallbacks {
  private static final List<Duration> BACK_OFFS =
      List.of(Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(800));

  private final Map<String, Long> dueMillis = new HashMap<>();
  private final PendingQueue overdue =
      new PendingQueue(new Backlog(Backlog.Limits.ofRequests(Integer.MAX_VALUE)));
  private final Timers timers;
  private final RandomGenerator random;

  /**
   * Creates an empty set.
   *
   * @param timers fire when a request has waited long enough
   */
  Fallbacks(Timers timers, RandomGenerator random) {
    this.timers = timers;
    this.random = random;
  }

  /** A request waits. May be called again for the same request. */
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

  /** A request no longer waits. */
  void leaves(RequestMetadata metadata) {
    if (dueMillis.remove(metadata.requestId()) != null) {
      metadata.onFallback().ifPresent(overdue::remove);
    }
  }

  /**
   * Returns the requests that may go to their fallback models now, under the names of these models.
   */
  public PendingQueue overdue() {
    return overdue;
  }

  /** Each backoff has a jitter of half its length. */
  private long patience(RequestMetadata metadata, TimePoint now) {
    long wanted =
        BACK_OFFS.stream()
            .mapToLong(Duration::toMillis)
            .map(millis -> millis / 2 + random.nextLong(millis + 1))
            .sum();
    long end =
        Math.min(
            metadata.deadlineEpochMillis(), metadata.firstTokenByMillis().orElse(Long.MAX_VALUE));
    return Math.min(wanted, Math.max(0, (end - now.epochMillis()) / 2));
  }
}
