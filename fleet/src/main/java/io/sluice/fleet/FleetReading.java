package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerState;
import java.util.List;
import java.util.Map;

/**
 * The content of the registry at one moment.
 *
 * @param workers all workers with a recent heartbeat
 * @param breakers the breakers by worker; if a worker has no entry, its breaker has never changed
 */
public record FleetReading(List<WorkerSnapshot> workers, Map<String, BreakerState> breakers) {
  /** The reading of an empty pool. */
  public static final FleetReading EMPTY = new FleetReading(List.of(), Map.of());

  public FleetReading {
    workers = List.copyOf(workers);
    breakers = Map.copyOf(breakers);
  }

  /** Returns a worker's breaker. */
  public BreakerState breaker(String workerId) {
    return breakers.getOrDefault(workerId, BreakerState.NEW);
  }
}
