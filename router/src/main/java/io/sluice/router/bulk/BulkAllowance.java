package io.sluice.router.bulk;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.schedule.Backlog;
import io.sluice.router.schedule.Ledger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How many more bulk requests may enter: as many as there are free slots on workers whose KV cache
 * is used below 0.70, less the bulk requests that wait in the router already. Thread-safe.
 */
public final class BulkAllowance {
  /** Bulk enters below this KV usage, well before it would have to be evicted (0.80). */
  private static final double ENTER_BELOW_KV_USAGE = 0.70;

  private final Supplier<FleetSnapshot> fleet;
  private final Ledger ledger;
  private final Backlog backlog;
  private final LongSupplier nanoClock;

  /**
   * An allowance by what is known of the fleet.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public BulkAllowance(
      Supplier<FleetSnapshot> fleet, Ledger ledger, Backlog backlog, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.fleet = fleet;
    this.ledger = ledger;
    this.backlog = backlog;
  }

  /** Not negative. */
  public int current() {
    long now = nanoClock.getAsLong();
    int free =
        fleet.get().workers().values().stream()
            .filter(view -> takesBulk(view.snapshot()))
            .mapToInt(view -> Math.max(0, view.snapshot().slots() - ledger.leasesAt(view, now)))
            .sum();
    return Math.max(0, free - backlog.pendingBulk());
  }

  private static boolean takesBulk(WorkerSnapshot worker) {
    return worker.accepting() && worker.kvUsage().orElse(0) < ENTER_BELOW_KV_USAGE;
  }
}
