package io.sluice.router.schedule;

import io.sluice.router.catalog.ServedModels;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.Timers;
import java.util.Optional;

/**
 * Refuses waiting requests that no worker is going to serve, according to {@link ServedModels}. A
 * request is refused only after it has waited for the model grace period, and only if no worker
 * ever had it. Not thread-safe.
 */
final class ModelAvailabilityCheck {
  private final ServedModels served;
  private final Timers timers;
  private final Endings endings;

  ModelAvailabilityCheck(ServedModels served, Timers timers, Endings endings) {
    this.served = served;
    this.timers = timers;
    this.endings = endings;
  }

  /** A request starts to wait. */
  void waits(RequestMetadata metadata) {
    if (served.isMissing(metadata)) {
      timers.set(metadata.appendTimeMillis() + graceMillis(), metadata.requestId());
    }
  }

  /**
   * A starting task finds a request in its store. If the grace period is over, its previous router
   * knew a worker for it, or it would have refused it.
   */
  void found(RequestMetadata metadata, TimePoint now) {
    if (metadata.ageMillis(now) >= graceMillis()) {
      served.assumeServed(metadata);
    } else {
      waits(metadata);
    }
  }

  /** Returns whether the request was refused. May be called again for the same request. */
  boolean refuse(TrackedRequest tracked, Pending pending, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (metadata.ageMillis(now) < graceMillis() || pending.last().isPresent()) {
      return false;
    }
    Optional<ServedModels.Refusal> refusal = served.refusal(metadata);
    if (refusal.isPresent()) {
      endings.refuse(tracked, refusal.get().kind(), refusal.get().message());
    } else if (served.isMissing(metadata)) {
      timers.set(now.epochMillis() + Math.max(1_000, graceMillis()), metadata.requestId());
    }
    return refusal.isPresent();
  }

  private long graceMillis() {
    return served.grace().toMillis();
  }
}
