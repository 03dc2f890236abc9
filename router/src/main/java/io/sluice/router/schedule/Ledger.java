package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What this router process has sent to each worker and not yet got back: one for all its tasks, so
 * that together they send a worker no more than it has room for. Thread-safe.
 */
public final class Ledger {

  /** What is out at one worker. */
  public record Reserved(int leases, long tokens) {
    static final Reserved NONE = new Reserved(0, 0);

    Reserved plus(int moreLeases, long moreTokens) {
      return new Reserved(leases + moreLeases, tokens + moreTokens);
    }
  }

  private final String routerId;
  private final ConcurrentMap<String, Reserved> workers = new ConcurrentHashMap<>();

  public Ledger(String routerId) {
    this.routerId = routerId;
  }

  /** The name under which workers count this router's leases. */
  public String routerId() {
    return routerId;
  }

  /** What this process has at a worker. */
  public Reserved at(String worker) {
    return workers.getOrDefault(worker, Reserved.NONE);
  }

  /**
   * Leases at a worker in all: our own as we know them, those of other routers as the worker last
   * said.
   */
  public int leasesAt(WorkerSnapshot worker) {
    return at(worker.id()).leases() + heldForOthers(worker);
  }

  /** Takes a slot, if one is left; two tasks never get the same one. */
  boolean tryReserve(WorkerSnapshot worker, long tokens) {
    int limit = worker.slots() - heldForOthers(worker);
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
    workers.merge(worker, new Reserved(1, tokens), (a, b) -> a.plus(b.leases(), b.tokens()));
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

  /** Leases that a worker holds for other routers, as it last said. */
  int heldForOthers(WorkerSnapshot worker) {
    return worker.heldInAll() - worker.held().getOrDefault(routerId, 0);
  }
}
