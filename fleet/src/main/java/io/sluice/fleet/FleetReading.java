package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerState;
import java.util.List;
import java.util.Map;

/**
 * The whole registry at one moment.
 *
 * @param workers all workers that have made themselves known lately
 * @param breakers by worker; a worker without one has a breaker that never changed
 */
public record FleetReading(List<WorkerSnapshot> workers, Map<String, BreakerState> breakers) {
  /** Of an empty pool. */
  public static final FleetReading EMPTY = new FleetReading(List.of(), Map.of());

  public FleetReading {
    workers = List.copyOf(workers);
    breakers = Map.copyOf(breakers);
  }

  /** Workers whose breakers never changed. */
  public static FleetReading of(List<WorkerSnapshot> workers) {
    return new FleetReading(workers, Map.of());
  }

  /** A worker's breaker. */
  public BreakerState breaker(String workerId) {
    return breakers.getOrDefault(workerId, BreakerState.NEW);
  }
}
