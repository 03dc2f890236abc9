package io.sluice.router.policy;

import io.sluice.router.prefix.Holders;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/**
 * The workers of a fleet, as the policy sees them for one request. A decision over a large fleet
 * examines few of them, so a candidate need not be made before it is requested. Workers are named
 * by their index, from 0.
 */
public interface Candidates {

  /** Returns the number of workers. */
  int size();

  /** Returns the id of a worker. */
  String worker(int at);

  /** Returns a worker as it is seen now, or was seen when it was first requested. */
  Candidate get(int at);

  /**
   * Passes the workers that are believed to have a part of the prompt cached, those with the
   * longest part first, equal ones in an order that begins at random, until the visitor returns
   * false.
   */
  void forEachHolder(RandomGenerator random, IntPredicate visitor);

  /**
   * Candidates that are all known.
   *
   * @param all must not be changed afterwards
   */
  static Candidates of(List<Candidate> all) {
    return new Candidates() {
      @Override
      public int size() {
        return all.size();
      }

      @Override
      public String worker(int at) {
        return all.get(at).snapshot().id();
      }

      @Override
      public Candidate get(int at) {
        return all.get(at);
      }

      @Override
      public void forEachHolder(RandomGenerator random, IntPredicate visitor) {
        int[] cachedTokens =
            all.stream()
                .mapToInt(candidate -> Math.toIntExact(candidate.outlook().cachedTokens()))
                .toArray();
        new Holders(cachedTokens).forEach(random, visitor);
      }
    };
  }
}
