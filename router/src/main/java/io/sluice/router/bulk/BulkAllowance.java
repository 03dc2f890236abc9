package io.sluice.router.bulk;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.policy.BulkRoom;
import io.sluice.router.schedule.Backlog;
import io.sluice.router.schedule.Ledger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How many more bulk requests may enter: as many as the workers have slots for, by {@link
 * BulkRoom}, less the bulk requests that wait in the router already. Thread-safe.
 */
public final class BulkAllowance {
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
            .mapToInt(
                view ->
                    BulkRoom.slots(
                        view.snapshot(), ledger.leasesAt(view, now), view.breaker().phase()))
            .sum();
    return Math.max(0, free - backlog.pendingBulk());
  }
}
