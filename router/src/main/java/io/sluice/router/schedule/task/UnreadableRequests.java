package io.sluice.router.schedule.task;

import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.UnreadableRequest;
import java.time.Duration;
import java.util.List;

/**
 * The requests of one task whose stored values cannot be read. Such a request is neither run nor
 * answered, because a worker may have it, or may have answered it. Its value stays stored while the
 * request can be wanted, so that a router that can read it continues. Not thread-safe.
 */
public final class UnreadableRequests {
  private final RequestStore store;
  private final Effects effects;
  private final SchedulerListener listener;
  private final Duration kept;
  private List<UnreadableRequest> found = List.of();
  private long forgetAtMillis;

  UnreadableRequests(
      RequestStore store, Effects effects, SchedulerListener listener, Duration longestDeadline) {
    this.store = store;
    this.effects = effects;
    this.listener = listener;
    this.kept = longestDeadline.plus(EndedRequest.REMEMBERED);
  }

  /** A starting task found these in its store. Only then can a value be unreadable. */
  public void restore(List<UnreadableRequest> unreadable, TimePoint now) {
    found = List.copyOf(unreadable);
    forgetAtMillis = now.epochMillis() + kept.toMillis();
    if (!found.isEmpty()) {
      effects.unreadable(found);
      listener.unreadable(found.size());
    }
  }

  /** Forgets them once the deadline of every request from before the start has passed. */
  public void forgetDue(TimePoint now) {
    if (!found.isEmpty() && forgetAtMillis <= now.epochMillis()) {
      found.forEach(unreadable -> store.forget(unreadable.requestId()));
      found = List.of();
    }
  }
}
