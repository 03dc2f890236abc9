package io.sluice.router.placement;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerLeases;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What this router process has in flight at each worker. All its tasks share one ledger, so that
 * together they never send more to a worker than it has room for. Thread-safe.
 */
public final class Ledger {

  /** What is in flight at one worker. */
  public record Reserved(int leases, long tokens) {
    public static final Reserved NONE = new Reserved(0, 0);

    public Reserved plus(int moreLeases, long moreTokens) {
      return new Reserved(leases + moreLeases, tokens + moreTokens);
    }
  }

  private final String routerId;
  private final PeerLeases peers;
  private final ConcurrentMap<String, Reserved> workers = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Integer> restored = new ConcurrentHashMap<>();
  private final DemandMeter running = new DemandMeter();
  private final CapacityReservations capacityReservations = new CapacityReservations();
  private final ConcurrentMap<String, String> suspects = new ConcurrentHashMap<>();

  /** Creates the ledger of a router that learns about other routers only from worker snapshots. */
  public Ledger(String routerId) {
    this(routerId, new PeerLeases());
  }

  /** Creates the ledger of a router that receives the dispatches of other routers. */
  public Ledger(String routerId, PeerLeases peers) {
    this.routerId = routerId;
    this.peers = peers;
  }

  /** Returns the name under which workers count the leases of this router. */
  public String routerId() {
    return routerId;
  }

  /** Returns the leases of this process at all workers. */
  public int leases() {
    return workers.values().stream().mapToInt(Reserved::leases).sum();
  }

  /** Returns what this process has in flight at a worker. */
  public Reserved at(String worker) {
    return workers.getOrDefault(worker, Reserved.NONE);
  }

  /**
   * Returns the part that this process has sent itself. Workers count leases that were taken over
   * from another router as that router's, and peers must not count them twice.
   */
  public Reserved sentTo(String worker) {
    Reserved all = at(worker);
    int sent = all.leases() - restored.getOrDefault(worker, 0);
    return sent <= 0 ? Reserved.NONE : new Reserved(sent, all.tokens() * sent / all.leases());
  }

  /**
   * Returns all leases at a worker: those of this process by its own count, those of other routers
   * as the worker last reported, or as the routers have reported since.
   */
  public int leasesAt(WorkerView view, long nowNanos) {
    return at(view.snapshot().id()).leases() + takenByOthers(view, nowNanos);
  }

  /** Returns the requests that this process has leased to workers. */
  public DemandMeter running() {
    return running;
  }

  /** Returns the capacity reservations for large prompts. */
  CapacityReservations capacityReservations() {
    return capacityReservations;
  }

  /** Returns the suspect at each worker, at most one per worker ({@link Suspects}). */
  public ConcurrentMap<String, String> suspects() {
    return suspects;
  }

  /** Takes a slot if one is free. Two tasks never get the same slot. */
  boolean tryReserve(WorkerView view, long tokens, long nowNanos) {
    WorkerSnapshot worker = view.snapshot();
    int limit = worker.slots() - takenByOthers(view, nowNanos);
    boolean[] reserved = {false};
    workers.compute(
        worker.id(),
        (id, known) -> {
          Reserved current = known == null ? Reserved.NONE : known;
          reserved[0] = current.leases() < limit;
          return reserved[0] ? current.plus(1, tokens) : known;
        });
    return reserved[0];
  }

  /**
   * Counts a lease that already exists, whether or not there is room, after a restart or an
   * adoption.
   */
  void restore(String worker, long tokens) {
    restored.merge(worker, 1, Integer::sum);
    workers.merge(worker, new Reserved(1, tokens), (a, b) -> a.plus(b.leases(), b.tokens()));
  }

  /** Returns a slot that was counted by {@link #restore}. */
  void releaseRestored(String worker, long tokens) {
    release(worker, tokens);
    restored.computeIfPresent(worker, (id, known) -> known > 1 ? known - 1 : null);
  }

  /** Returns a slot. */
  void release(String worker, long tokens) {
    workers.computeIfPresent(
        worker,
        (id, known) -> {
          Reserved left = known.plus(-1, -tokens);
          return left.leases() <= 0 ? null : left;
        });
  }

  /** Returns what other routers have reported that the worker's snapshot does not show yet. */
  PeerLeases.Unseen unseen(WorkerView view, long nowNanos) {
    return peers.at(view, nowNanos);
  }

  private int takenByOthers(WorkerView view, long nowNanos) {
    return leasesOfOtherRouters(view.snapshot()) + unseen(view, nowNanos).leases();
  }

  /**
   * Returns the leases of other routers at a worker, as it last reported, without those that were
   * taken over: the worker counts them as the other's, and this process as its own.
   */
  int leasesOfOtherRouters(WorkerSnapshot worker) {
    Integer ours = worker.held().get(routerId);
    boolean isOnlyOurs = ours != null && worker.held().size() == 1;
    int others = isOnlyOurs ? 0 : worker.heldInAll() - (ours == null ? 0 : ours);
    return others == 0 ? 0 : Math.max(0, others - takenOver(worker.id(), ours == null ? 0 : ours));
  }

  /**
   * Returns how many restored leases the worker does not count as ours: those that another router
   * has sent. After a restart under the same id it counts what this router sent before as ours.
   */
  private int takenOver(String worker, int countedAsOurs) {
    int all = restored.getOrDefault(worker, 0);
    if (all == 0) {
      return 0;
    }
    int countedAndRestored = Math.max(0, countedAsOurs - sentTo(worker).leases());
    return Math.max(0, all - countedAndRestored);
  }
}
