package io.sluice.router.bulk;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.placement.Ledger;
import io.sluice.router.policy.BulkRoom;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.RequestKind;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How many more bulk requests may enter: of each kind as many as the workers that serve it have
 * slots for, by {@link BulkRoom}, less those that wait in the router already. Of what is free a
 * router lets in its share only, for others see the same workers: their shares together are one. As
 * what is sent takes slots, a router that has work alone still gets all of them, a part of the rest
 * at a time. Thread-safe.
 */
public final class BulkAllowance {
  private final Supplier<FleetSnapshot> fleet;
  private final Ledger ledger;
  private final Backlog backlog;
  private final DoubleSupplier share;
  private final LongSupplier nanoClock;

  /**
   * An allowance by what is known of the fleet.
   *
   * @param share of the pool's partitions that are this router's, 0 to 1
   * @param nanoClock monotonic nanoseconds
   */
  public BulkAllowance(
      Supplier<FleetSnapshot> fleet,
      Ledger ledger,
      Backlog backlog,
      DoubleSupplier share,
      LongSupplier nanoClock) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.backlog = backlog;
    this.share = share;
    this.nanoClock = nanoClock;
  }

  /** Whether the router refuses new requests, of whatever kind. */
  boolean isShut() {
    return backlog.isFull();
  }

  /** A request that was let in by {@link #openings} is on its way. */
  void entering(String requestId, RequestKind kind) {
    backlog.entering(requestId, kind, nanoClock.getAsLong());
  }

  /** It could not be put into its lane. */
  void notEntering(String requestId) {
    backlog.arrived(requestId);
  }

  /** What may enter now. A router that refuses new requests lets in none. */
  public BulkOpenings openings() {
    if (backlog.isFull()) {
      return BulkOpenings.NONE;
    }
    long now = nanoClock.getAsLong();
    double part = Math.clamp(share.getAsDouble(), 0, 1);
    List<BulkOpenings.Room> rooms =
        fleet.get().workers().values().stream()
            .map(
                view ->
                    new BulkOpenings.Room(
                        view.snapshot(),
                        part
                            * BulkRoom.slots(
                                view.snapshot(),
                                ledger.leasesAt(view, now),
                                view.breaker().phase())))
            .filter(room -> room.slots() > 0)
            .toList();
    var openings = new BulkOpenings(rooms);
    backlog.bulkByKind().forEach(openings::takeFor);
    return openings;
  }
}
