package io.sluice.router.policy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Chooses the worker for a request. Filters exclude workers, weighted scorers rank the rest, and
 * one of the nearly best is drawn at random, so that several routers with the same view do not all
 * choose the same worker. Pure: the same request, fleet and random numbers give the same decision.
 * Immutable and thread-safe, except for the random generator that it is given.
 *
 * <p>The score is {@code sum(weight * score) / sum(weight)}. The difference between a worker's
 * score and a perfect one is converted to time by the inverse of {@link PredictedTtft}'s score, and
 * a worker is drawn with the probability {@code ~ exp(-(time - best time) / noise)}. The noise is
 * the time that one more such request would add at the best worker, times {@link
 * PolicyWeight#SPREAD} and the number of routers at work: what other routers may have sent there
 * unseen. If the best worker has most of the prompt cached, the noise is small, so a large hit is
 * not lost.
 *
 * <p>Of a large fleet, only a {@link Shortlist} is compared.
 */
public final class RoutingPolicy {
  private static final double MOST_SPREAD = 1.0;

  /** Workers that are more than this many times the noise away are never drawn. */
  private static final double NEGLIGIBLE = 30;

  private final PolicyWeight[] weighed;
  private final Scorer[] scorers;
  private final double[] shares;
  private final double ttftShare;
  private final double spread;
  private final PredictedTtft predicted;
  private final double patience;

  private RoutingPolicy(PolicyWeights weights) {
    this.weighed =
        Arrays.stream(PolicyWeight.values())
            .filter(weight -> weights.of(weight) > 0 && weight.scorer(weights).isPresent())
            .toArray(PolicyWeight[]::new);
    this.scorers =
        Arrays.stream(weighed)
            .flatMap(weight -> weight.scorer(weights).stream())
            .toArray(Scorer[]::new);
    double sum = Math.max(Double.MIN_NORMAL, Arrays.stream(weighed).mapToDouble(weights::of).sum());
    this.shares = Arrays.stream(weighed).mapToDouble(weight -> weights.of(weight) / sum).toArray();
    double ttft = weights.of(PolicyWeight.TTFT);
    // Without a weight for time itself, any loss of score must stand for some time.
    this.ttftShare = ttft > 0 ? ttft / sum : 1;
    this.spread = weights.of(PolicyWeight.SPREAD);
    this.predicted = PredictedTtft.of(weights);
    this.patience = weights.of(PolicyWeight.PATIENCE);
  }

  /** Returns the policy with the default weights. */
  public static RoutingPolicy standard() {
    return of(PolicyWeights.DEFAULTS);
  }

  /** Returns the policy with these weights. */
  public static RoutingPolicy of(PolicyWeights weights) {
    return new RoutingPolicy(weights);
  }

  /**
   * Decides for one request.
   *
   * @param fleet must not change afterwards, because the decision explains itself by it
   */
  public Decision decide(RequestProfile request, Candidates fleet, RandomGenerator random) {
    Shortlist shortlist = Shortlist.of(request, fleet, random);
    int[] compared = shortlist.compared();
    double[] scores = new double[compared.length];
    for (int i = 0; i < compared.length; i++) {
      scores[i] = score(request, fleet.get(compared[i]));
    }
    int chosen = compared.length == 0 ? -1 : pick(request, fleet, compared, scores, random);
    return new Decision(this, request, fleet, shortlist, chosen);
  }

  /** Returns whether a worker could be chosen for a request if it were compared. */
  public boolean admits(RequestProfile request, Candidate candidate) {
    return Filters.allAdmit(request, candidate);
  }

  /** Returns which of the holders to wait for rather than take the chosen worker, if any. */
  Optional<PrefixWait> prefixWait(
      RequestProfile request, Candidate chosen, List<Candidate> holders) {
    return PrefixWait.of(request, chosen, holders, predicted, patience);
  }

  /** Returns the scores of a worker by name, for the scorers with a weight. */
  Map<String, Double> scores(RequestProfile request, Candidate candidate) {
    Map<String, Double> byName = new LinkedHashMap<>();
    for (int at = 0; at < scorers.length; at++) {
      byName.put(weighed[at].label(), scorers[at].score(request, candidate));
    }
    return byName;
  }

  /** Returns the weighted score of a worker, 0 to 1. */
  double score(RequestProfile request, Candidate candidate) {
    double sum = 0;
    for (int at = 0; at < scorers.length; at++) {
      sum += shares[at] * scorers[at].score(request, candidate);
    }
    return sum;
  }

  /** Draws one worker; see the class comment. */
  private int pick(
      RequestProfile request,
      Candidates fleet,
      int[] compared,
      double[] scores,
      RandomGenerator random) {
    int best = 0;
    int routers = 1;
    for (int i = 0; i < compared.length; i++) {
      best = scores[i] > scores[best] ? i : best;
      routers = Math.max(routers, fleet.get(compared[i]).snapshot().held().size());
    }
    Candidate winner = fleet.get(compared[best]);
    double oneMore =
        winner.stepMillis() + winner.outlook().prefillMillis(winner.uncachedTokens(request));
    double noise = Math.max(1e-3, Math.min(MOST_SPREAD, spread * routers) * oneMore);
    double bestMillis = millis(scores[best]);
    double[] chances = new double[compared.length];
    double sum = 0;
    for (int i = 0; i < compared.length; i++) {
      double distance = (millis(scores[i]) - bestMillis) / noise;
      chances[i] = distance < NEGLIGIBLE ? Math.exp(-distance) : 0;
      sum += chances[i];
    }
    double drawn = random.nextDouble() * sum;
    int i = 0;
    while (i < compared.length - 1 && drawn >= chances[i]) {
      drawn -= chances[i++];
    }
    // Rounding may go past the last one that had a chance.
    return compared[chances[i] > 0 ? i : best];
  }

  private double millis(double score) {
    return PredictedTtft.millisOf((1 - score) / ttftShare);
  }
}
