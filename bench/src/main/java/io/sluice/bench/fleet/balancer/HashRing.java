package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Consistent hashing of the session: {@value #POINTS} points per engine on a ring, as in nginx'
 * {@code hash ... consistent}. A session belongs to the next point. When an engine leaves, only its
 * sessions move.
 */
public final class HashRing implements Balancer {
  private static final int POINTS = 160;

  private final TreeMap<Long, Integer> ring = new TreeMap<>();

  public HashRing(int engines) {
    for (int engine = 0; engine < engines; engine++) {
      for (int point = 0; point < POINTS; point++) {
        ring.put(Mix.of(engine, point), engine);
      }
    }
  }

  @Override
  public Choice pick(FleetRequest request, IntPredicate usable) {
    return Choice.send(engineOf(request.session(), usable));
  }

  int engineOf(long session, IntPredicate usable) {
    Map.Entry<Long, Integer> next = ring.ceilingEntry(Mix.next(session));
    while (next == null || !usable.test(next.getValue())) {
      next = next == null ? ring.firstEntry() : ring.higherEntry(next.getKey());
    }
    return next.getValue();
  }
}
