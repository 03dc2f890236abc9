package io.sluice.router.schedule;

import io.sluice.router.catalog.ServedModels;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;

/**
 * Refuses waiting requests that nobody is going to serve, by {@link ServedModels}: once they have
 * waited for as long as a worker is given to join, and were with none. Not thread-safe.
 */
final class Unservable {
  private final ServedModels served;
  private final Timers timers;
  private final Transitions transitions;

  Unservable(ServedModels served, Timers timers, Transitions transitions) {
    this.served = served;
    this.timers = timers;
    this.transitions = transitions;
  }

  /** A request waits from now on. */
  void waits(RequestFacts facts) {
    if (served.isMissing(facts)) {
      timers.set(facts.appendTimeMillis() + graceMillis(), facts.requestId());
    }
  }

  /** A task finds a request; who had it before would have refused it by now, had it known more. */
  void found(RequestFacts facts, Now now) {
    if (facts.ageMillis(now) >= graceMillis()) {
      served.believe(facts);
    } else {
      waits(facts);
    }
  }

  /** Returns whether the request was refused; it may be one that is looked at again. */
  boolean refuse(TrackedRequest tracked, Pending pending, Now now) {
    RequestFacts facts = tracked.facts();
    if (facts.ageMillis(now) < graceMillis() || pending.last().isPresent()) {
      return false;
    }
    Optional<ServedModels.Refusal> refusal = served.refusal(facts);
    if (refusal.isPresent()) {
      transitions.refuse(tracked, refusal.get().kind(), refusal.get().message());
    } else if (served.isMissing(facts)) {
      timers.set(now.epochMillis() + Math.max(1_000, graceMillis()), facts.requestId());
    }
    return refusal.isPresent();
  }

  private long graceMillis() {
    return served.grace().toMillis();
  }
}
