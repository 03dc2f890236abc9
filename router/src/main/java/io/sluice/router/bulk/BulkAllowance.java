package io.sluice.router.bulk;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.schedule.Backlog;
import io.sluice.router.schedule.Ledger;
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

  public BulkAllowance(Supplier<FleetSnapshot> fleet, Ledger ledger, Backlog backlog) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.backlog = backlog;
  }

  /** Not negative. */
  public int current() {
    int free =
        fleet.get().workers().values().stream()
            .map(WorkerView::snapshot)
            .filter(WorkerSnapshot::accepting)
            .filter(worker -> worker.kvUsage().orElse(0) < ENTER_BELOW_KV_USAGE)
            .mapToInt(worker -> Math.max(0, worker.slots() - ledger.leasesAt(worker)))
            .sum();
    return Math.max(0, free - backlog.pendingBulk());
  }
}
