package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.Topics;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.RoutingPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Finds a worker for a request: shows the policy the fleet as it stands, counting what was sent
 * since the workers last reported, and reserves the slot it picks. Not thread-safe; the ledger that
 * it shares with others is.
 */
final class Placement {
  private final RoutingPolicy policy;
  private final Ledger ledger;
  private final TopicDirectory topics;
  private final RandomGenerator random;
  private final Map<String, HandBack> handBacks = new HashMap<>();

  /** A worker that gave a request back is not asked again before it has reported anew. */
  private record HandBack(String worker, String incarnation, long sequence) {
    boolean covers(WorkerSnapshot snapshot) {
      return snapshot.id().equals(worker)
          && snapshot.incarnation().equals(incarnation)
          && snapshot.sequence() <= sequence;
    }
  }

  Placement(RoutingPolicy policy, Ledger ledger, TopicDirectory topics, RandomGenerator random) {
    this.policy = policy;
    this.ledger = ledger;
    this.topics = topics;
    this.random = random;
  }

  /** The worker that gets the request, with a slot reserved; empty if none has room now. */
  Optional<WorkerSnapshot> place(RequestFacts facts, FleetSnapshot fleet, long nowNanos) {
    Decision decision = policy.decide(facts.profile(), candidates(facts, fleet, nowNanos), random);
    return decision
        .chosen()
        .flatMap(fleet::worker)
        .map(WorkerView::snapshot)
        .filter(worker -> ledger.tryReserve(worker, facts.contextTokens()));
  }

  /** A worker gave the request back. */
  void handedBack(String requestId, String workerId, FleetSnapshot fleet) {
    fleet
        .worker(workerId)
        .map(WorkerView::snapshot)
        .ifPresent(
            worker ->
                handBacks.put(
                    requestId, new HandBack(worker.id(), worker.incarnation(), worker.sequence())));
  }

  /** The request is on its way elsewhere, or over. */
  void settled(String requestId) {
    handBacks.remove(requestId);
  }

  private List<Candidate> candidates(RequestFacts facts, FleetSnapshot fleet, long nowNanos) {
    HandBack handBack = handBacks.get(facts.requestId());
    List<Candidate> candidates = new ArrayList<>(fleet.workers().size());
    for (WorkerView view : fleet.workers().values()) {
      WorkerSnapshot worker = view.snapshot();
      candidates.add(
          new Candidate(
              worker,
              ledger.leasesAt(worker),
              ledger.at(worker.id()).tokens(),
              fleet.fresh()
                  && LeaseWatch.silence(view, nowNanos) > LeaseWatch.SUSPECT_AFTER.toNanos(),
              topics.partitions(Topics.worker(worker.id())).isPresent(),
              handBack != null && handBack.covers(worker)));
    }
    return candidates;
  }
}
