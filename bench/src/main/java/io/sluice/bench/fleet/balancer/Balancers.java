package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/** The balancers that use no metrics of engines. */
public final class Balancers {
  private Balancers() {}

  /** One engine after the other. */
  public static final class RoundRobin implements Balancer {
    private final int engines;
    private int next;

    public RoundRobin(int engines) {
      this.engines = engines;
    }

    @Override
    public Choice pick(FleetRequest request, IntPredicate usable) {
      do {
        next = (next + 1) % engines;
      } while (!usable.test(next));
      return Choice.send(next);
    }
  }

  /** A random engine. */
  public static final class AnyOf implements Balancer {
    private final int engines;
    private final SplittableRandom random;

    public AnyOf(int engines, long seed) {
      this.engines = engines;
      this.random = new SplittableRandom(seed);
    }

    @Override
    public Choice pick(FleetRequest request, IntPredicate usable) {
      int any = random.nextInt(engines);
      while (!usable.test(any)) {
        any = random.nextInt(engines);
      }
      return Choice.send(any);
    }
  }

  /**
   * The engine with the fewest requests in flight, counted exactly; of equal ones the next in turn,
   * as nginx' {@code least_conn} does.
   */
  public static final class LeastRequests implements Balancer {
    private final int[] underWay;
    private int turn;

    public LeastRequests(int engines) {
      this.underWay = new int[engines];
    }

    @Override
    public Choice pick(FleetRequest request, IntPredicate usable) {
      turn++;
      int best = -1;
      for (int i = 0; i < underWay.length; i++) {
        int at = (turn + i) % underWay.length;
        if (usable.test(at) && (best < 0 || underWay[at] < underWay[best])) {
          best = at;
        }
      }
      underWay[best]++;
      return Choice.send(best);
    }

    @Override
    public void ended(int engine, FleetRequest request) {
      underWay[engine]--;
    }
  }

  /**
   * One engine after the other, and at most a number of requests in each; the rest waits in front
   * of them, as with HAProxy's {@code maxconn}.
   */
  public static final class MaxConn implements Balancer {
    private final int most;
    private final int[] underWay;
    private int turn;

    public MaxConn(int engines, int most) {
      this.underWay = new int[engines];
      this.most = most;
    }

    @Override
    public Choice pick(FleetRequest request, IntPredicate usable) {
      for (int i = 1; i <= underWay.length; i++) {
        int at = (turn + i) % underWay.length;
        if (usable.test(at) && underWay[at] < most) {
          turn = at;
          underWay[at]++;
          return Choice.send(at);
        }
      }
      return new Choice.Hold();
    }

    @Override
    public void ended(int engine, FleetRequest request) {
      underWay[engine]--;
    }
  }
}
