package io.sluice.router.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Picks the worker for a request: filters rule workers out, weighted scorers rank those that are
 * left, and the best of a random sample is taken, so that several routers with the same view do not
 * all run to the same worker. Immutable and thread-safe, but for the random generator it is given.
 */
public final class RoutingPolicy {
  /**
   * Enough to find nearly the best worker, few enough that a herd spreads (power of several
   * choices).
   */
  private static final int SAMPLE = 8;

  private final List<Filter> filters;
  private final List<Weighted> scorers;

  /** A scorer and how much it counts. */
  record Weighted(Scorer scorer, double weight) {}

  RoutingPolicy(List<Filter> filters, List<Weighted> scorers) {
    this.filters = List.copyOf(filters);
    this.scorers = List.copyOf(scorers);
  }

  /**
   * Everything that fits, with some margin if possible, then the asked tier, then the least loaded.
   */
  public static RoutingPolicy standard() {
    return new RoutingPolicy(
        Filters.ALL,
        List.of(
            new Weighted(new Scorers.ContextMargin(), 4.0),
            new Weighted(new Scorers.Tier(), 2.0),
            new Weighted(new Scorers.Load(), 1.0)));
  }

  /** Decides for one request. */
  public Decision decide(RequestProfile request, List<Candidate> fleet, RandomGenerator random) {
    List<Decision.Reason> reasons = new ArrayList<>(fleet.size());
    List<Scored> fit = new ArrayList<>();
    boolean servable = false;
    for (Candidate candidate : fleet) {
      Optional<Filter> rejecting = firstRejecting(request, candidate);
      servable |= rejecting.isEmpty() || isPassing(rejecting.get());
      double score = rejecting.isEmpty() ? score(request, candidate) : 0.0;
      String worker = candidate.snapshot().id();
      reasons.add(new Decision.Reason(worker, rejecting.map(Filter::reason), score));
      if (rejecting.isEmpty()) {
        fit.add(new Scored(worker, score));
      }
    }
    return new Decision(pick(fit, random), reasons, servable);
  }

  private record Scored(String worker, double score) {}

  /**
   * Whether a rejection is due to load or health, which pass, rather than to what the worker is.
   */
  private static boolean isPassing(Filter filter) {
    return filter != Filters.MODEL && filter != Filters.LANE && filter != Filters.CONTEXT;
  }

  private Optional<Filter> firstRejecting(RequestProfile request, Candidate candidate) {
    for (Filter filter : filters) {
      if (!filter.admits(request, candidate)) {
        return Optional.of(filter);
      }
    }
    return Optional.empty();
  }

  private double score(RequestProfile request, Candidate candidate) {
    double sum = 0;
    double weights = 0;
    for (Weighted weighted : scorers) {
      sum += weighted.weight() * weighted.scorer().score(request, candidate);
      weights += weighted.weight();
    }
    return weights == 0 ? 0 : sum / weights;
  }

  /** The best of a random sample; ties go to whoever was drawn first. */
  private static Optional<String> pick(List<Scored> fit, RandomGenerator random) {
    Optional<Scored> best = Optional.empty();
    for (int drawn = 0; drawn < Math.min(SAMPLE, fit.size()); drawn++) {
      int at = drawn + random.nextInt(fit.size() - drawn);
      Scored candidate = fit.get(at);
      fit.set(at, fit.get(drawn));
      fit.set(drawn, candidate);
      if (best.isEmpty() || candidate.score() > best.get().score()) {
        best = Optional.of(candidate);
      }
    }
    return best.map(Scored::worker);
  }
}
