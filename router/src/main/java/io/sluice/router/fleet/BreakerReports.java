package io.sluice.router.fleet;

import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.breaker.BreakerEvent;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to other routers, and to the worker itself, that a worker's breaker should open. Calls
 * return at once. Reports are dropped if there are too many or if the registry is unreachable,
 * because this router follows its own observations in any case. Thread-safe.
 */
public final class BreakerReports {
  private static final int MOST_UNDER_WAY = 64;
  private static final Logger log = LoggerFactory.getLogger(BreakerReports.class);

  private final FleetRegistry registry;
  private final LongSupplier epochMillis;
  private final Semaphore room = new Semaphore(MOST_UNDER_WAY);

  /**
   * Creates reports to this registry.
   *
   * @param epochMillis the pool's time
   */
  public BreakerReports(FleetRegistry registry, LongSupplier epochMillis) {
    this.registry = registry;
    this.epochMillis = epochMillis;
  }

  /** A worker's breaker should open. */
  public void tripped(String workerId) {
    if (!room.tryAcquire()) {
      log.debug("event=breaker_report_dropped worker={} reason=\"too many at once\"", workerId);
      return;
    }
    var trip = new BreakerEvent.Timed(new BreakerEvent.Tripped(), epochMillis.getAsLong());
    var _ =
        registry
            .applyToBreaker(workerId, List.of(trip))
            .whenComplete(
                (state, failure) -> {
                  room.release();
                  if (failure != null) {
                    log.debug(
                        "event=breaker_report_failed worker={} reason=\"{}\"",
                        workerId,
                        failure.getMessage());
                  }
                });
  }
}
