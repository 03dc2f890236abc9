package io.sluice.router.placement;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.parse.PromptPrefixes;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Candidates;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Finds a worker for a request. It shows the policy the current fleet, including everything sent
 * since the last snapshots, and reserves a slot at the chosen worker. Not thread-safe; the shared
 * ledger is.
 */
public final class Placement {
  private final RoutingContext routing;
  private final PromptPrefixes prefixes;
  private final TaskReservations reservations;
  private final Suspects suspects;
  private final CandidateFactory candidates;

  /** The result of a placement. */
  public sealed interface Result {
    /** Returns the reasons. */
    Decision decision();

    /** The request goes to this worker, where a slot is reserved. */
    record Placed(Decision decision) implements Result {
      public WorkerSnapshot worker() {
        return decision.choice().orElseThrow().snapshot();
      }
    }

    /** The request has to wait for room. */
    record NoRoom(Decision decision) implements Result {}

    /** The request has to wait, only because the workers with room have just handed it back. */
    record HandedBack(Decision decision) implements Result {}

    /** The request had better wait for a worker that has more of its prompt cached. */
    record PrefixWait(Decision decision) implements Result {}

    /** Its first token is expected too late. */
    record TooLate(Decision decision) implements Result {}

    /** No known worker could take the request even if it were idle. Another one may join. */
    record NoWorker(Decision decision) implements Result {}
  }

  public Placement(
      RoutingContext routing,
      PromptPrefixes prefixes,
      TaskReservations reservations,
      RecentHandBacks recentHandBacks,
      Suspects suspects) {
    this.routing = routing;
    this.prefixes = prefixes;
    this.reservations = reservations;
    this.suspects = suspects;
    this.candidates = new CandidateFactory(routing, recentHandBacks, suspects);
  }

  /**
   * Decides where a request goes now. Options that the request can do without, and that no engine
   * of its model takes, do not exclude any worker.
   *
   * @param firstTokenByMillis when its first token has to be there, in epoch milliseconds; empty if
   *     that does not matter
   * @param waits whether it waits for another worker rather than go to the chosen one
   */
  public Result place(
      RequestMetadata metadata,
      OptionalLong firstTokenByMillis,
      Predicate<Decision> waits,
      TimePoint now) {
    FleetSnapshot fleet = routing.fleet().get();
    RequestProfile profile = profile(metadata, fleet);
    Decision decision = decide(metadata, profile, fleet, now);
    if (waits.test(decision)) {
      return new Result.PrefixWait(decision);
    }
    if (firstTokenByMillis.isPresent()
        && now.epochMillis() + decision.millisToFirstToken() > firstTokenByMillis.getAsLong()) {
      return new Result.TooLate(decision);
    }
    return decision
        .choice()
        .filter(choice -> tryReserve(metadata, profile, choice, fleet, now))
        .<Result>map(choice -> new Result.Placed(decision))
        .orElseGet(() -> nowhere(decision));
  }

  /** The worker does not get a request that was placed there after all. */
  public void undo(String requestId) {
    reservations.release(requestId);
    suspects.notPlaced(requestId);
  }

  /**
   * Returns whether any known worker could serve a request if it were neither busy nor unhealthy.
   */
  public boolean isServable(RequestMetadata metadata, TimePoint now) {
    FleetSnapshot fleet = routing.fleet().get();
    return decide(metadata, profile(metadata, fleet), fleet, now).servable();
  }

  private Decision decide(
      RequestMetadata metadata, RequestProfile profile, FleetSnapshot fleet, TimePoint now) {
    Candidates all = candidates.all(metadata, profile, fleet, now);
    return routing
        .policy()
        .decide(
            profile,
            suspects.contains(metadata.requestId()) ? alone(profile, all) : all,
            routing.random());
  }

  /**
   * A suspect goes to an idle worker, if there is one, so that no other request is lost with it.
   */
  private Candidates alone(RequestProfile profile, Candidates all) {
    List<Candidate> idle =
        IntStream.range(0, all.size())
            .mapToObj(all::get)
            .filter(candidate -> candidate.leases() == 0 && candidate.snapshot().running() == 0)
            .filter(candidate -> routing.policy().admits(profile, candidate))
            .toList();
    return idle.isEmpty() ? all : Candidates.of(idle);
  }

  /** Returns whether a worker accepts requests and has a slot that no router has used. */
  public boolean hasSlot(WorkerView view) {
    WorkerSnapshot worker = view.snapshot();
    Ledger ledger = routing.ledger();
    int leases = ledger.at(worker.id()).leases() + ledger.leasesOfOtherRouters(worker);
    return leases < worker.slots() && worker.accepting();
  }

  /** Returns whether a worker would take one of some requests. */
  public boolean wouldTake(WorkerView view, List<RequestMetadata> requests, TimePoint now) {
    if (!hasSlot(view)) {
      return false;
    }
    FleetSnapshot fleet = routing.fleet().get();
    return requests.stream().anyMatch(metadata -> wouldTake(view, metadata, fleet, now));
  }

  private boolean wouldTake(
      WorkerView view, RequestMetadata metadata, FleetSnapshot fleet, TimePoint now) {
    RequestProfile profile = profile(metadata, fleet);
    return routing
        .policy()
        .admits(profile, candidates.leniently(view, metadata, profile, fleet, now));
  }

  private RequestProfile profile(RequestMetadata metadata, FleetSnapshot fleet) {
    return metadata.profile(needs(metadata, fleet)).beginningWith(prefixes.get(metadata));
  }

  private static Result nowhere(Decision decision) {
    if (decision.onlyHandedBackRecently()) {
      return new Result.HandedBack(decision);
    }
    return decision.servable() ? new Result.NoRoom(decision) : new Result.NoWorker(decision);
  }

  private boolean tryReserve(
      RequestMetadata metadata,
      RequestProfile profile,
      Candidate choice,
      FleetSnapshot fleet,
      TimePoint now) {
    WorkerSnapshot worker = choice.snapshot();
    boolean isReserved =
        suspects.tryPlace(metadata, worker.id())
            && reservations.tryReserve(
                metadata,
                fleet.worker(worker.id()).orElseThrow(),
                () -> routing.experience().sent(profile, worker, choice.outlook(), now.nanos()),
                now);
    if (!isReserved) {
      suspects.notPlaced(metadata.requestId());
    }
    return isReserved;
  }

  private static Collection<String> needs(RequestMetadata metadata, FleetSnapshot fleet) {
    List<String> asked = metadata.classification().needs();
    if (asked.isEmpty()) {
      return asked;
    }
    Set<String> needs = new TreeSet<>(asked);
    needs.removeAll(refusedByAll(metadata, fleet));
    return needs;
  }

  private static Set<String> refusedByAll(RequestMetadata metadata, FleetSnapshot fleet) {
    Set<String> refused = EngineOptions.correctable(metadata.classification().needs());
    if (refused.isEmpty()) {
      return refused;
    }
    List<WorkerSnapshot> workers =
        fleet.workers().values().stream()
            .map(WorkerView::snapshot)
            .filter(worker -> worker.models().contains(metadata.model()))
            .toList();
    workers.forEach(worker -> refused.retainAll(worker.traits().refuses()));
    return workers.isEmpty() ? Set.of() : refused;
  }
}
