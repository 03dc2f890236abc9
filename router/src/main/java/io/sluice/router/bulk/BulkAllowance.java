package io.sluice.router.bulk;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.placement.Ledger;
import io.sluice.router.policy.BulkRoom;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How many more bulk requests may enter. For each kind it is the number of slots that {@link
 * BulkRoom} leaves at the workers that serve it, less the requests that already wait in the router
 * and that these workers can take. Of the free slots a router uses only its share, because all
 * routers see the same workers; the shares add up to one. Dispatching takes slots, so a router that
 * alone has work still gets all of them, a part of the remainder at a time. Thread-safe.
 */
public final class BulkAllowance {
  /** The longest ones have the fewest workers. */
  private static final Comparator<Map.Entry<BulkSize, Integer>> LONGEST_FIRST =
      Comparator.<Map.Entry<BulkSize, Integer>>comparingLong(
              waiting -> waiting.getKey().contextTokens())
          .reversed();

  private final Supplier<FleetSnapshot> fleet;
  private final Ledger ledger;
  private final Backlog backlog;
  private final DoubleSupplier share;
  private final LongSupplier nanoClock;

  /**
   * Creates an allowance over the known fleet.
   *
   * @param share the share of the pool's partitions that this router owns, 0 to 1
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

  /** Returns whether the router refuses new requests of any kind. */
  boolean isShut() {
    return backlog.isFull();
  }

  /** A request that {@link #openings} admitted is on its way. */
  void entering(String requestId, RequestKind kind, long contextTokens) {
    backlog.entering(requestId, new BulkSize(kind, contextTokens), nanoClock.getAsLong());
  }

  /** A request could not be put into its lane. */
  void notEntering(String requestId) {
    backlog.arrived(requestId);
  }

  /** Returns what may enter now. A router that refuses new requests admits none. */
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
    backlog.bulkBySize(now).entrySet().stream()
        .sorted(LONGEST_FIRST)
        .forEach(waiting -> openings.takeFor(waiting.getKey(), waiting.getValue()));
    return openings;
  }
}
