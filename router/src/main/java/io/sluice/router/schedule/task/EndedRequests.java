package io.sluice.router.schedule.task;

import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The ended requests of one task, oldest first. Each is forgotten at its time. If all tasks of the
 * process together exceed their limit, the oldest are forgotten early, and a repeat of such an id
 * is served again. The latest one always stays, because its record may be read again after a crash.
 * Not thread-safe; the shared limit is.
 */
public final class EndedRequests {
  /** Sweeping is too expensive to do for a few requests. */
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(5);

  private static final Comparator<EndedRequest> BY_AGE =
      Comparator.comparingLong(ended -> ended.answer().sinceMillis().orElse(0));

  private record Kept(long forgetAtMillis, long bytes) {}

  private final RequestStore store;
  private final EndedLimit limit;
  private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();
  private long soonestMillis = Long.MAX_VALUE;
  private long sweptNanos;

  public EndedRequests(RequestStore store, EndedLimit limit, TimePoint now) {
    this.store = store;
    this.limit = limit;
    this.sweptNanos = now.nanos() - BETWEEN_SWEEPS.toNanos();
  }

  /** A request has ended. */
  public void add(EndedRequest ended) {
    store.end(ended);
    keep(ended, ended.forgetAtMillis());
  }

  /**
   * Takes over what a starting task finds in its store.
   *
   * @param keptUntilMillis the earliest time at which one is forgotten for its age, epoch
   *     milliseconds
   */
  public void restore(List<EndedRequest> found, long keptUntilMillis) {
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

  /** Forgets the requests whose time has come, with a delay of a few seconds at most. */
  public void forgetDue(TimePoint now) {
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

  /** Releases this task's share of the limit. */
  public void close() {
    kept.values().forEach(one -> limit.add(-one.bytes()));
    kept.clear();
  }
}
