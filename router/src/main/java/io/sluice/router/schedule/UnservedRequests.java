package io.sluice.router.schedule;

import io.sluice.router.catalog.ServedModels;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Waiting;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.UnservedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reports each request of one task that waits for a worker of its model to start: once, and again
 * when its deadline has changed. Not thread-safe.
 */
final class UnservedRequests {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Bounds what is reported at once. The others follow a second later. */
  private static final int AT_ONCE = 100;

  private final RequestStore store;
  private final PendingQueue queue;
  private final ServedModels served;
  private final SchedulerListener listener;
  private Map<String, Long> missingSinceMillis = new HashMap<>();

  /** The deadlines that were reported, by request. */
  private Map<String, Long> told = new HashMap<>();

  private long checkedNanos;

  UnservedRequests(
      RequestStore store,
      PendingQueue queue,
      ServedModels served,
      SchedulerListener listener,
      TimePoint now) {
    this.store = store;
    this.queue = queue;
    this.served = served;
    this.listener = listener;
    this.checkedNanos = now.nanos();
  }

  /** Checks once a second. While Redis is away, no worker is taken for missing. */
  void check(FleetSnapshot fleet, TimePoint now) {
    if (now.nanos() - checkedNanos < INTERVAL.toNanos() || !fleet.fresh()) {
      return;
    }
    checkedNanos = now.nanos();
    Set<String> models =
        fleet.workers().values().stream()
            .flatMap(view -> view.snapshot().models().stream())
            .collect(Collectors.toSet());
    Map<String, Long> missing = new HashMap<>();
    List<Waiting> unserved = new ArrayList<>();
    for (Group group : queue.groups()) {
      if (!models.contains(group.model())
          && group.fallbackModel().filter(models::contains).isEmpty()) {
        Long since = missingSinceMillis.get(group.model());
        missing.put(group.model(), since == null ? now.epochMillis() : since);
        queue.forEach(group, unserved::add);
      }
    }
    missingSinceMillis = missing;
    tell(unserved, now);
  }

  private void tell(List<Waiting> unserved, TimePoint now) {
    Map<String, Long> before = told;
    told = new HashMap<>();
    int left = AT_ONCE;
    for (Waiting waiting : unserved) {
      String requestId = waiting.requestId();
      Long deadline = before.get(requestId);
      boolean isTold = deadline != null && deadline == waiting.deadlineEpochMillis();
      if (isTold || left > 0) {
        told.put(requestId, waiting.deadlineEpochMillis());
      }
      if (!isTold && left > 0) {
        left--;
        store.get(requestId).map(TrackedRequest::metadata).ifPresent(it -> tell(it, now));
      }
    }
  }

  private void tell(RequestMetadata metadata, TimePoint now) {
    long missing = missingSinceMillis.getOrDefault(metadata.model(), now.epochMillis());
    listener.unserved(
        new UnservedEvent(
            metadata,
            Math.max(metadata.appendTimeMillis(), missing),
            !served.isMissing(metadata),
            now.epochMillis()));
  }
}
