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
 * <p>If more than {@value #COMPARED_ALL} workers are eligible, a random sample is compared,
 * together with those that have the most of the prompt cached.
 */
public final class RoutingPolicy {
  private static final int COMPARED_ALL = 100;
  private static final int SAMPLE = 32;
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

  /** The policy with the default weights. */
  public static RoutingPolicy standard() {
    return of(PolicyWeights.DEFAULTS);
  }

  /** The policy with these weights. */
  public static RoutingPolicy of(PolicyWeights weights) {
    return new RoutingPolicy(weights);
  }

  /**
   * Decides for one request.
   *
   * @param fleet must not be changed afterwards, because the decision explains itself by it
   */
  public Decision decide(RequestProfile request, List<Candidate> fleet, RandomGenerator random) {
    int size = fleet.size();
    byte[] verdicts = new byte[size];
    int[] eligible = new int[size];
    int passing = 0;
    boolean servable = false;
    for (int at = 0; at < size; at++) {
      verdicts[at] = verdict(request, fleet.get(at));
      if (verdicts[at] == Decision.COMPARED) {
        eligible[passing++] = at;
        servable = true;
      } else {
        servable |= Filters.ALL.get(verdicts[at]).scope() != Filters.Scope.WORKER;
      }
    }
    int[] compared =
        passing > COMPARED_ALL
            ? sample(eligible, passing, fleet, random)
            : Arrays.copyOf(eligible, passing);
    if (compared.length < passing) {
      for (int at = 0; at < passing; at++) {
        verdicts[eligible[at]] = Decision.NOT_SAMPLED;
      }
      for (int number : compared) {
        verdicts[number] = Decision.COMPARED;
      }
    }
    double[] scores = new double[size];
    for (int number : compared) {
      scores[number] = score(request, fleet.get(number));
    }
    int chosen = compared.length == 0 ? -1 : pick(request, fleet, compared, scores, random);
    return new Decision(this, request, fleet, verdicts, scores, chosen, servable);
  }

  /** Whether a worker could be chosen for a request if it were compared. */
  public boolean admits(RequestProfile request, Candidate candidate) {
    return Filters.allAdmit(request, candidate);
  }

  /** Which of the holders to wait for rather than take the chosen worker, if any. */
  Optional<PrefixWait> prefixWait(
      RequestProfile request, Candidate chosen, List<Candidate> holders) {
    return PrefixWait.of(request, chosen, holders, predicted, patience);
  }

  /** The scores of a worker by name, for the scorers with a weight. */
  Map<String, Double> scores(RequestProfile request, Candidate candidate) {
    Map<String, Double> byName = new LinkedHashMap<>();
    for (int at = 0; at < scorers.length; at++) {
      byName.put(weighed[at].label(), scorers[at].score(request, candidate));
    }
    return byName;
  }

  private static byte verdict(RequestProfile request, Candidate candidate) {
    if (Filters.allAdmit(request, candidate)) {
      return Decision.COMPARED;
    }
    byte refusing = 0;
    while (Filters.ALL.get(refusing).admits(request, candidate)) {
      refusing++;
    }
    return refusing;
  }

  private double score(RequestProfile request, Candidate candidate) {
    double sum = 0;
    for (int at = 0; at < scorers.length; at++) {
      sum += shares[at] * scorers[at].score(request, candidate);
    }
    return sum;
  }

  /**
   * A random sample, and of the rest those that have the most of the prompt cached, if that is more
   * than half of the longest hit. Equal holders alternate.
   *
   * @param eligible contains {@code passing} eligible workers; is reordered
   */
  private static int[] sample(
      int[] eligible, int passing, List<Candidate> fleet, RandomGenerator random) {
    long longest = 0;
    for (int drawn = 0; drawn < SAMPLE; drawn++) {
      swap(eligible, drawn, drawn + random.nextInt(passing - drawn));
      longest = Math.max(longest, fleet.get(eligible[drawn]).outlook().cachedTokens());
    }
    int[] sampled = Arrays.copyOf(eligible, 2 * SAMPLE);
    long[] hits = new long[2 * SAMPLE];
    int compared = SAMPLE;
    int at = SAMPLE + random.nextInt(passing - SAMPLE);
    for (int step = SAMPLE; step < passing; step++) {
      long hit = fleet.get(eligible[at]).outlook().cachedTokens();
      boolean isFull = compared == sampled.length;
      if (hit > (isFull ? hits[compared - 1] : 0)) {
        int place = isFull ? compared - 1 : compared++;
        for (; place > SAMPLE && hits[place - 1] < hit; place--) {
          hits[place] = hits[place - 1];
          sampled[place] = sampled[place - 1];
        }
        hits[place] = hit;
        sampled[place] = eligible[at];
      }
      at = at + 1 < passing ? at + 1 : SAMPLE;
    }
    longest = Math.max(longest, hits[SAMPLE]);
    while (compared > SAMPLE && 2 * hits[compared - 1] <= longest) {
      compared--;
    }
    return Arrays.copyOf(sampled, compared);
  }

  private static void swap(int[] array, int a, int b) {
    int moved = array[a];
    array[a] = array[b];
    array[b] = moved;
  }

  /** Draws one worker; see the class comment. */
  private int pick(
      RequestProfile request,
      List<Candidate> fleet,
      int[] compared,
      double[] scores,
      RandomGenerator random) {
    int best = compared[0];
    int routers = 1;
    for (int number : compared) {
      best = scores[number] > scores[best] ? number : best;
      routers = Math.max(routers, fleet.get(number).snapshot().held().size());
    }
    Candidate winner = fleet.get(best);
    double oneMore =
        winner.stepMillis() + winner.outlook().prefillMillis(winner.uncachedTokens(request));
    double noise = Math.max(1e-3, Math.min(MOST_SPREAD, spread * routers) * oneMore);
    double bestMillis = millis(scores[best]);
    double[] chances = new double[compared.length];
    double sum = 0;
    for (int at = 0; at < compared.length; at++) {
      double distance = (millis(scores[compared[at]]) - bestMillis) / noise;
      chances[at] = distance < NEGLIGIBLE ? Math.exp(-distance) : 0;
      sum += chances[at];
    }
    double drawn = random.nextDouble() * sum;
    int at = 0;
    while (at < compared.length - 1 && drawn >= chances[at]) {
      drawn -= chances[at++];
    }
    // Rounding may go past the last one that had a chance.
    return chances[at] > 0 ? compared[at] : best;
  }

  private double millis(double score) {
    return PredictedTtft.millisOf((1 - score) / ttftShare);
  }
}
