package io.sluice.router.placement;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.peers.PeerLeases;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What this router process has sent to each worker and not yet got back: one for all its tasks, so
 * that together they send a worker no more than it has room for. Thread-safe.
 */
public final class Ledger {

  /** What is out at one worker. */
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
  private final CapacityReservations capacityReservations = new CapacityReservations();
  private final ConcurrentMap<String, String> suspects = new ConcurrentHashMap<>();

  /** Of a router that hears of others from the workers only. */
  public Ledger(String routerId) {
    this(routerId, new PeerLeases());
  }

  /** Of a router that other routers tell what they have sent. */
  public Ledger(String routerId, PeerLeases peers) {
    this.routerId = routerId;
    this.peers = peers;
  }

  /** The name under which workers count this router's leases. */
  public String routerId() {
    return routerId;
  }

  /** What this process has at all workers. */
  public int leases() {
    return workers.values().stream().mapToInt(Reserved::leases).sum();
  }

  /** What this process has at a worker. */
  public Reserved at(String worker) {
    return workers.getOrDefault(worker, Reserved.NONE);
  }

  /**
   * What of it this process has sent there itself. Workers count what it took over from another
   * router as the other's, and others should not count it twice.
   */
  public Reserved sentTo(String worker) {
    Reserved all = at(worker);
    int sent = all.leases() - restored.getOrDefault(worker, 0);
    return sent <= 0 ? Reserved.NONE : new Reserved(sent, all.tokens() * sent / all.leases());
  }

  /**
   * Leases at a worker in all: our own as we know them, those of other routers as the worker last
   * said, or as they have said since.
   */
  public int leasesAt(WorkerView view, long nowNanos) {
    return at(view.snapshot().id()).leases() + takenByOthers(view, nowNanos);
  }

  /** The workers that are kept free for large prompts. */
  CapacityReservations capacityReservations() {
    return capacityReservations;
  }

  /** By worker, the one request there of which it may die ({@link Suspects}). */
  public ConcurrentMap<String, String> suspects() {
    return suspects;
  }

  /** Takes a slot, if one is left; two tasks never get the same one. */
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
   * Counts a lease that exists already, whether or not there is room: after a restart, or when one
   * is adopted.
   */
  void restore(String worker, long tokens) {
    restored.merge(worker, 1, Integer::sum);
    workers.merge(worker, new Reserved(1, tokens), (a, b) -> a.plus(b.leases(), b.tokens()));
  }

  /** Gives a slot back that was counted by {@link #restore}. */
  void releaseRestored(String worker, long tokens) {
    release(worker, tokens);
    restored.computeIfPresent(worker, (id, known) -> known > 1 ? known - 1 : null);
  }

  /** Gives a slot back. */
  void release(String worker, long tokens) {
    workers.computeIfPresent(
        worker,
        (id, known) -> {
          Reserved left = known.plus(-1, -tokens);
          return left.leases() <= 0 ? null : left;
        });
  }

  /** What other routers have said that a worker does not show yet. */
  PeerLeases.Unseen unseen(WorkerView view, long nowNanos) {
    return peers.at(view, nowNanos);
  }

  private int takenByOthers(WorkerView view, long nowNanos) {
    return leasesOfOtherRouters(view.snapshot()) + unseen(view, nowNanos).leases();
  }

  /** Leases that a worker holds for other routers, as it last said. */
  int leasesOfOtherRouters(WorkerSnapshot worker) {
    return worker.heldInAll() - worker.held().getOrDefault(routerId, 0);
  }
}
