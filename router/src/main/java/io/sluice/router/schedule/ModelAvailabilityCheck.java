package io.sluice.router.schedule;

import io.sluice.router.catalog.ServedModels;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;

/**
 * Refuses waiting requests that nobody is going to serve, by {@link ServedModels}: once they have
 * waited for as long as a worker is given to join, and were with none. Not thread-safe.
 */
final class ModelAvailabilityCheck {
  private final ServedModels served;
  private final Timers timers;
  private final Transitions transitions;

  ModelAvailabilityCheck(ServedModels served, Timers timers, Transitions transitions) {
    this.served = served;
    this.timers = timers;
    this.transitions = transitions;
  }

  /** A request waits from now on. */
  void waits(RequestMetadata metadata) {
    if (served.isMissing(metadata)) {
      timers.set(metadata.appendTimeMillis() + graceMillis(), metadata.requestId());
    }
  }

  /** A task finds a request; who had it before would have refused it by now, had it known more. */
  void found(RequestMetadata metadata, TimePoint now) {
    if (metadata.ageMillis(now) >= graceMillis()) {
      served.assumeServed(metadata);
    } else {
      waits(metadata);
    }
  }

  /** Returns whether the request was refused; it may be one that is looked at again. */
  boolean refuse(TrackedRequest tracked, Pending pending, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (metadata.ageMillis(now) < graceMillis() || pending.last().isPresent()) {
      return false;
    }
    Optional<ServedModels.Refusal> refusal = served.refusal(metadata);
    if (refusal.isPresent()) {
      transitions.refuse(tracked, refusal.get().kind(), refusal.get().message());
    } else if (served.isMissing(metadata)) {
      timers.set(now.epochMillis() + Math.max(1_000, graceMillis()), metadata.requestId());
    }
    return refusal.isPresent();
  }

  private long graceMillis() {
    return served.grace().toMillis();
  }
}
