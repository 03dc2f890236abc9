package io.sluice.router.placement;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerLeases;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Candidates;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Shows workers to the policy, including everything sent since their last snapshots. Not
 * thread-safe; the shared ledger is.
 */
final class CandidateFactory {
  private static final int MANY_WORKERS = 4_096;

  private final RoutingContext routing;
  private final RecentHandBacks recentHandBacks;
  private final Suspects suspects;
  private final Map<String, String> workerTopics = new HashMap<>();

  CandidateFactory(RoutingContext routing, RecentHandBacks recentHandBacks, Suspects suspects) {
    this.routing = routing;
    this.recentHandBacks = recentHandBacks;
    this.suspects = suspects;
  }

  /** Returns all workers of a fleet. Each is looked up when it is first requested. */
  Candidates all(
      RequestMetadata metadata, RequestProfile profile, FleetSnapshot fleet, TimePoint now) {
    routing.experience().retain(fleet.workers().keySet());
    boolean areMostUnresponsive =
        routing.localBreakers().areMostUnresponsive(fleet.workers().values());
    return new FleetCandidates(new Moment(metadata, profile, fleet, areMostUnresponsive, now));
  }

  /**
   * Returns one worker. Assumes that most are unresponsive, which admits some workers that a
   * decision over the fleet would avoid.
   */
  Candidate leniently(
      WorkerView view,
      RequestMetadata metadata,
      RequestProfile profile,
      FleetSnapshot fleet,
      TimePoint now) {
    return new Moment(metadata, profile, fleet, true, now).candidate(view);
  }

  /** Creating the name validates it, which takes longer than all other lookups here. */
  private String topicOf(WorkerSnapshot worker) {
    if (workerTopics.size() > MANY_WORKERS) {
      workerTopics.clear();
    }
    return workerTopics.computeIfAbsent(worker.id(), Topics::worker);
  }

  private BreakerPhase breaker(
      WorkerView view, int ownLeases, boolean areMostUnresponsive, TimePoint now) {
    boolean isAvoided =
        view.breaker().operator() != OperatorOverride.FORCED_CLOSED
            && !routing
                .localBreakers()
                .admits(view.snapshot(), ownLeases, areMostUnresponsive, now);
    return isAvoided ? BreakerPhase.OPEN : view.breaker().phase();
  }

  /**
   * What the snapshot does not show yet is added to what it shows. The leases of this router are
   * part of the snapshot or soon will be.
   */
  private static long committedTokens(
      WorkerSnapshot worker, Ledger.Reserved ours, PeerLeases.Unseen unseen) {
    return unseen.contextTokens() == 0
        ? ours.tokens()
        : Math.max(worker.tokensInUse(), ours.tokens()) + unseen.contextTokens();
  }

  /** How one request sees the workers at one moment. */
  private final class Moment {
    private final RequestMetadata metadata;
    private final FleetSnapshot fleet;
    private final Experience.View experience;
    private final boolean areMostUnresponsive;
    private final TimePoint now;

    Moment(
        RequestMetadata metadata,
        RequestProfile profile,
        FleetSnapshot fleet,
        boolean areMostUnresponsive,
        TimePoint now) {
      this.metadata = metadata;
      this.fleet = fleet;
      this.experience = routing.experience().of(profile, now.nanos());
      this.areMostUnresponsive = areMostUnresponsive;
      this.now = now;
    }

    Candidate candidate(WorkerView view) {
      Ledger ledger = routing.ledger();
      WorkerSnapshot worker = view.snapshot();
      int forOthers = ledger.leasesOfOtherRouters(worker);
      PeerLeases.Unseen unseen = ledger.unseen(view, now.nanos());
      Ledger.Reserved ours = ledger.at(worker.id());
      return new Candidate(
          worker,
          ours.leases() + forOthers + unseen.leases(),
          committedTokens(worker, ours, unseen),
          fleet.fresh() && routing.life().hasLateHeartbeat(view, fleet, now.nanos()),
          routing.topics().takes(topicOf(worker)),
          recentHandBacks.excludes(worker, metadata.requestId(), now)
              || suspects.mustAvoid(metadata.requestId(), worker.id()),
          ledger.capacityReservations().isReservedForOther(metadata, worker.id()),
          experience.outlook(worker, forOthers, unseen.promptTokens()),
          breaker(view, ours.leases(), areMostUnresponsive, now));
    }
  }

  private static final class FleetCandidates implements Candidates {
    private final Moment moment;
    private final @Nullable Candidate[] known;

    FleetCandidates(Moment moment) {
      this.moment = moment;
      this.known = new @Nullable Candidate[moment.fleet.workers().size()];
    }

    @Override
    public int size() {
      return known.length;
    }

    @Override
    public String worker(int at) {
      return moment.fleet.worker(at).snapshot().id();
    }

    @Override
    public Candidate get(int at) {
      Candidate candidate = known[at];
      if (candidate == null) {
        candidate = moment.candidate(moment.fleet.worker(at));
        known[at] = candidate;
      }
      return candidate;
    }

    @Override
    public void forEachHolder(RandomGenerator random, IntPredicate visitor) {
      moment.experience.forEachHolder(
          random,
          worker -> {
            int at = moment.fleet.indexOf(worker);
            return at < 0 || visitor.test(at);
          });
    }
  }
}
