package io.sluice.router.schedule;

import io.sluice.common.breaker.BreakerPhase;
import io.sluice.common.breaker.OperatorOverride;
import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.Topics;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds a worker for a request: shows the policy the fleet as it stands, counting what was sent
 * since the workers last reported, and reserves the slot it picks. Not thread-safe; the ledger that
 * it shares with others is.
 */
final class Placement {
  private final SchedulerParts parts;
  private final Reservations reservations;
  private final HandBacks handBacks;

  /** Where a request may go. */
  sealed interface Place {
    /** To this worker, where a slot is reserved. */
    record At(WorkerSnapshot worker) implements Place {}

    /** Nowhere now; it has to wait for room. */
    record NoRoom() implements Place {}

    /** No worker that is known could ever take it, however idle; another one may come. */
    record NoWorker() implements Place {}
  }

  Placement(SchedulerParts parts, TaskMemory memory) {
    this.parts = parts;
    this.reservations = memory.reservations();
    this.handBacks = memory.handBacks();
  }

  /** Decides where a request goes now. */
  Place place(RequestFacts facts, Now now) {
    FleetSnapshot fleet = parts.fleet().get();
    Decision decision =
        parts.policy().decide(facts.profile(), candidates(facts, fleet, now), parts.random());
    Optional<Place> place =
        decision
            .chosen()
            .flatMap(fleet::worker)
            .map(WorkerView::snapshot)
            .filter(worker -> reservations.tryReserve(facts, worker))
            .map(Place.At::new);
    return place.orElseGet(() -> decision.servable() ? new Place.NoRoom() : new Place.NoWorker());
  }

  private List<Candidate> candidates(RequestFacts facts, FleetSnapshot fleet, Now now) {
    Ledger ledger = parts.ledger();
    List<Candidate> candidates = new ArrayList<>(fleet.workers().size());
    for (WorkerView view : fleet.workers().values()) {
      WorkerSnapshot worker = view.snapshot();
      candidates.add(
          new Candidate(
              worker,
              ledger.leasesAt(worker),
              ledger.at(worker.id()).tokens(),
              fleet.fresh()
                  && LeaseWatch.silence(view, now.nanos()) > LeaseWatch.SUSPECT_AFTER.toNanos(),
              parts.topics().partitions(Topics.worker(worker.id())).isPresent(),
              handBacks.exclude(worker, facts.requestId()),
              breaker(view, now)));
    }
    return candidates;
  }

  private BreakerPhase breaker(WorkerView view, Now now) {
    BreakerPhase shared = view.breaker().phase();
    return view.breaker().operator() == OperatorOverride.FORCED_CLOSED
        ? shared
        : shared.stricter(parts.localBreakers().phase(view.snapshot(), now));
  }
}
