package io.sluice.router.placement;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.parse.PromptPrefixes;
import io.sluice.router.peers.PeerLeases;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds a worker for a request: shows the policy the fleet as it stands, counting what was sent
 * since the workers last reported, and reserves the slot it picks. Not thread-safe; the ledger that
 * it shares with others is.
 */
public final class Placement {
  private static final int MANY_WORKERS = 4_096;

  private final RoutingContext routing;
  private final PromptPrefixes prefixes;
  private final Reservations reservations;
  private final HandBacks handBacks;
  private final Suspects suspects;
  private final Map<String, String> workerTopics = new HashMap<>();

  /** Where a request may go. */
  public sealed interface Place {
    /** Why. */
    Decision decision();

    /** To this worker, where a slot is reserved. */
    record At(Decision decision) implements Place {
      public WorkerSnapshot worker() {
        return decision.choice().orElseThrow().snapshot();
      }
    }

    /** Nowhere now; it has to wait for room. */
    record NoRoom(Decision decision) implements Place {}

    /** Nowhere now, but only because who has room for it has just given it back. */
    record GivenBack(Decision decision) implements Place {}

    /** No worker that is known could ever take it, however idle; another one may come. */
    record NoWorker(Decision decision) implements Place {}
  }

  public Placement(
      RoutingContext routing,
      PromptPrefixes prefixes,
      Reservations reservations,
      HandBacks handBacks,
      Suspects suspects) {
    this.routing = routing;
    this.prefixes = prefixes;
    this.reservations = reservations;
    this.handBacks = handBacks;
    this.suspects = suspects;
  }

  /**
   * Decides where a request goes now. Options that it can do without, and that no engine of its
   * model takes, do not keep it from any.
   */
  public Place place(RequestFacts facts, Now now) {
    FleetSnapshot fleet = routing.fleet().get();
    RequestProfile profile = profile(facts, fleet);
    Decision decision = decide(facts, profile, fleet, now);
    return decision
        .choice()
        .filter(choice -> tryReserve(facts, profile, choice, fleet, now))
        .<Place>map(choice -> new Place.At(decision))
        .orElseGet(() -> nowhere(decision));
  }

  /** Whether any worker that is known could serve a request, were it not busy or unwell. */
  public boolean isServable(RequestFacts facts, Now now) {
    FleetSnapshot fleet = routing.fleet().get();
    return decide(facts, profile(facts, fleet), fleet, now).servable();
  }

  private Decision decide(
      RequestFacts facts, RequestProfile profile, FleetSnapshot fleet, Now now) {
    routing.experience().retain(fleet.workers().keySet());
    Experience.View experience = routing.experience().of(profile, now.nanos());
    List<Candidate> candidates = candidates(facts, fleet, experience, now);
    return routing
        .policy()
        .decide(
            profile,
            suspects.contains(facts.requestId()) ? alone(profile, candidates) : candidates,
            routing.random());
  }

  /** Who may kill an engine goes to one that has nothing else to lose, where there is one. */
  private List<Candidate> alone(RequestProfile profile, List<Candidate> candidates) {
    List<Candidate> idle =
        candidates.stream()
            .filter(candidate -> candidate.leases() == 0 && candidate.snapshot().running() == 0)
            .filter(candidate -> routing.policy().admits(profile, candidate))
            .toList();
    return idle.isEmpty() ? candidates : idle;
  }

  /**
   * Whether one worker would take one of some requests; empty stands for any request, which every
   * worker takes that has a slot left.
   */
  public boolean wouldTake(WorkerView view, Optional<List<RequestFacts>> requests, Now now) {
    WorkerSnapshot worker = view.snapshot();
    Ledger ledger = routing.ledger();
    int leases = ledger.at(worker.id()).leases() + ledger.heldForOthers(worker);
    if (leases >= worker.slots() || !worker.accepting()) {
      return false;
    }
    FleetSnapshot fleet = routing.fleet().get();
    return requests.isEmpty()
        || requests.get().stream().anyMatch(facts -> wouldTake(view, facts, fleet, now));
  }

  private boolean wouldTake(WorkerView view, RequestFacts facts, FleetSnapshot fleet, Now now) {
    RequestProfile profile = profile(facts, fleet);
    Experience.View experience = routing.experience().of(profile, now.nanos());
    // That most are mute lets some in that would be avoided; the full look finds out.
    return routing.policy().admits(profile, candidate(view, facts, fleet, experience, true, now));
  }

  private RequestProfile profile(RequestFacts facts, FleetSnapshot fleet) {
    return facts.profile(needs(facts, fleet)).beginningWith(prefixes.get(facts));
  }

  private static Place nowhere(Decision decision) {
    if (decision.onlyHandedBack()) {
      return new Place.GivenBack(decision);
    }
    return decision.servable() ? new Place.NoRoom(decision) : new Place.NoWorker(decision);
  }

  private boolean tryReserve(
      RequestFacts facts, RequestProfile profile, Candidate choice, FleetSnapshot fleet, Now now) {
    WorkerSnapshot worker = choice.snapshot();
    boolean isReserved =
        suspects.tryPlace(facts.requestId(), worker.id())
            && reservations.tryReserve(
                facts,
                fleet.worker(worker.id()).orElseThrow(),
                () -> routing.experience().sent(profile, worker, choice.outlook(), now.nanos()),
                now);
    if (!isReserved) {
      suspects.notPlaced(facts.requestId());
    }
    return isReserved;
  }

  private static Collection<String> needs(RequestFacts facts, FleetSnapshot fleet) {
    List<String> asked = facts.classification().needs();
    if (asked.isEmpty()) {
      return asked;
    }
    Set<String> needs = new TreeSet<>(asked);
    needs.removeAll(refusedByAll(facts, fleet));
    return needs;
  }

  private static Set<String> refusedByAll(RequestFacts facts, FleetSnapshot fleet) {
    Set<String> refused = EngineOptions.correctable(facts.classification().needs());
    if (refused.isEmpty()) {
      return refused;
    }
    List<WorkerSnapshot> workers =
        fleet.workers().values().stream()
            .map(WorkerView::snapshot)
            .filter(worker -> worker.models().contains(facts.model()))
            .toList();
    workers.forEach(worker -> refused.retainAll(worker.traits().refuses()));
    return workers.isEmpty() ? Set.of() : refused;
  }

  private List<Candidate> candidates(
      RequestFacts facts, FleetSnapshot fleet, Experience.View experience, Now now) {
    boolean areMostMute = routing.localBreakers().areMostMute(fleet.workers().values());
    List<Candidate> candidates = new ArrayList<>(fleet.workers().size());
    for (WorkerView view : fleet.workers().values()) {
      candidates.add(candidate(view, facts, fleet, experience, areMostMute, now));
    }
    return candidates;
  }

  private Candidate candidate(
      WorkerView view,
      RequestFacts facts,
      FleetSnapshot fleet,
      Experience.View experience,
      boolean areMostMute,
      Now now) {
    Ledger ledger = routing.ledger();
    WorkerSnapshot worker = view.snapshot();
    int forOthers = ledger.heldForOthers(worker);
    PeerLeases.Unseen unseen = ledger.unseen(view, now.nanos());
    Ledger.Reserved ours = ledger.at(worker.id());
    return new Candidate(
        worker,
        ours.leases() + forOthers + unseen.leases(),
        committedTokens(worker, ours, unseen),
        fleet.fresh() && routing.life().isSuspect(view, fleet, now.nanos()),
        routing.topics().takes(topicOf(worker)),
        handBacks.exclude(worker, facts.requestId(), now)
            || suspects.keepsOff(facts.requestId(), worker.id()),
        ledger.holds().keepsOff(facts, worker.id()),
        experience.outlook(worker, forOthers, unseen.promptTokens()),
        breaker(view, ours.leases(), areMostMute, now));
  }

  /** What is unseen comes on top of what the worker shows, of which ours is a part or will be. */
  private static long committedTokens(
      WorkerSnapshot worker, Ledger.Reserved ours, PeerLeases.Unseen unseen) {
    return unseen.contextTokens() == 0
        ? ours.tokens()
        : Math.max(worker.tokensInUse(), ours.tokens()) + unseen.contextTokens();
  }

  /** Making the name is checking it, which takes longer than all else that is looked up here. */
  private String topicOf(WorkerSnapshot worker) {
    if (workerTopics.size() > MANY_WORKERS) {
      workerTopics.clear();
    }
    return workerTopics.computeIfAbsent(worker.id(), Topics::worker);
  }

  private BreakerPhase breaker(WorkerView view, int ownLeases, boolean areMostMute, Now now) {
    boolean isAvoided =
        view.breaker().operator() != OperatorOverride.FORCED_CLOSED
            && !routing.localBreakers().admits(view.snapshot(), ownLeases, areMostMute, now);
    return isAvoided ? BreakerPhase.OPEN : view.breaker().phase();
  }
}
