package io.sluice.bench.fleet;

import java.util.SplittableRandom;

/** The balancers that use no metrics of engines. */
final class Balancers {
  private Balancers() {}

  /** One engine after the other. */
  static final class RoundRobin implements Balancer {
    private final int engines;
    private int next;

    RoundRobin(int engines) {
      this.engines = engines;
    }

    @Override
    public int pick(FleetRequest request) {
      next = (next + 1) % engines;
      return next;
    }
  }

  /** A random engine. */
  static final class AnyOf implements Balancer {
    private final int engines;
    private final SplittableRandom random;

    AnyOf(int engines, long seed) {
      this.engines = engines;
      this.random = new SplittableRandom(seed);
    }

    @Override
    public int pick(FleetRequest request) {
      return random.nextInt(engines);
    }
  }

  /**
   * The engine with the fewest requests in flight, counted exactly; of equal ones the next in turn,
   * as nginx' {@code least_conn} does.
   */
  static final class LeastRequests implements Balancer {
    private final int[] underWay;
    private int turn;

    LeastRequests(int engines) {
      this.underWay = new int[engines];
    }

    @Override
    public int pick(FleetRequest request) {
      turn++;
      int best = turn % underWay.length;
      for (int i = 1; i < underWay.length; i++) {
        int at = (turn + i) % underWay.length;
        if (underWay[at] < underWay[best]) {
          best = at;
        }
      }
      underWay[best]++;
      return best;
    }

    @Override
    public void answered(int engine) {
      underWay[engine]--;
    }
  }
}
