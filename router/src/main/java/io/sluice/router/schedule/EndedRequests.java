package io.sluice.router.schedule;

import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * One task's requests that are over, the oldest first. Each is forgotten at its time; the oldest
 * earlier, where all tasks of the process together remember more than they may: who comes again
 * with such an id is served again. What has just ended stays, for its record may be read again
 * after a crash. Not thread-safe; the limit that it shares with other tasks is.
 */
final class EndedRequests {
  /** Looking through all of them is not worth while for a few. */
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(5);

  private static final Comparator<EndedRequest> BY_AGE =
      Comparator.comparingLong(ended -> ended.answer().sinceMillis().orElse(0));

  private record Kept(long forgetAtMillis, long bytes) {}

  private final RequestStore store;
  private final EndedLimit limit;
  private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();
  private long soonestMillis = Long.MAX_VALUE;
  private long sweptNanos;

  EndedRequests(RequestStore store, EndedLimit limit, TimePoint now) {
    this.store = store;
    this.limit = limit;
    this.sweptNanos = now.nanos() - BETWEEN_SWEEPS.toNanos();
  }

  /** A request is over. */
  void add(EndedRequest ended) {
    store.end(ended);
    keep(ended, ended.forgetAtMillis());
  }

  /**
   * These are in the store of a task that begins.
   *
   * @param keptUntilMillis none of them is forgotten in time before that, epoch milliseconds
   */
  void restore(List<EndedRequest> found, long keptUntilMillis) {
    found.stream()
        .sorted(BY_AGE)
        .forEach(ended -> keep(ended, Math.max(ended.forgetAtMillis(), keptUntilMillis)));
  }

  private void keep(EndedRequest ended, long forgetAtMillis) {
    drop(ended.requestId());
    long bytes = ended.heapBytes();
    kept.put(ended.requestId(), new Kept(forgetAtMillis, bytes));
    limit.add(bytes);
    soonestMillis = Math.min(soonestMillis, forgetAtMillis);
    while (limit.isExceeded() && kept.size() > 1) {
      String oldest = kept.firstEntry().getKey();
      drop(oldest);
      store.forget(oldest);
    }
  }

  private void drop(String requestId) {
    Kept gone = kept.remove(requestId);
    if (gone != null) {
      limit.add(-gone.bytes());
    }
  }

  /** Forgets those whose time has come, some seconds later at most. */
  void forgetDue(TimePoint now) {
    if (now.epochMillis() < soonestMillis || now.nanos() - sweptNanos < BETWEEN_SWEEPS.toNanos()) {
      return;
    }
    sweptNanos = now.nanos();
    soonestMillis = Long.MAX_VALUE;
    List<String> due = new ArrayList<>();
    kept.forEach(
        (requestId, one) -> {
          if (one.forgetAtMillis() <= now.epochMillis()) {
            due.add(requestId);
          } else {
            soonestMillis = Math.min(soonestMillis, one.forgetAtMillis());
          }
        });
    due.forEach(
        requestId -> {
          drop(requestId);
          store.forget(requestId);
        });
  }

  /** Takes this task's share out of what it shares with other tasks. */
  void close() {
    kept.values().forEach(one -> limit.add(-one.bytes()));
    kept.clear();
  }
}
