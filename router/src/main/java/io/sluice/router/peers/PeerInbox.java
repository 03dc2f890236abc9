package io.sluice.router.peers;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Experience;
import io.sluice.router.prefix.PrefixChain;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Takes in messages of other routers: their leases, and what the workers' caches will hold.
 * Statements about an unknown worker or incarnation are ignored. Thread-safe; never blocks.
 */
public final class PeerInbox {
  private final String routerId;
  private final Supplier<FleetSnapshot> fleet;
  private final PeerLeases leases;
  private final Experience experience;
  private final PeerTraffic traffic;

  /**
   * Creates the inbox of one router.
   *
   * @param routerId its own name; its own messages are ignored
   */
  public PeerInbox(
      String routerId,
      Supplier<FleetSnapshot> fleet,
      PeerLeases leases,
      Experience experience,
      PeerTraffic traffic) {
    this.routerId = routerId;
    this.fleet = fleet;
    this.leases = leases;
    this.experience = experience;
    this.traffic = traffic;
  }

  /** A message has arrived, at this time in monotonic nanoseconds. */
  public void accept(PeerMessage message, long nowNanos) {
    if (message.router().equals(routerId)) {
      return;
    }
    traffic.receivedOne();
    FleetSnapshot known = fleet.get();
    for (AtWorker share : message.workers()) {
      concerned(share, known).ifPresent(worker -> take(message.router(), share, worker, nowNanos));
    }
  }

  /** What any router, also this one, once said of a worker: only the caches are of interest. */
  public void recall(AtWorker share) {
    concerned(share, fleet.get()).ifPresent(worker -> cached(share, worker));
  }

  /**
   * Returns the worker of which a statement is; empty if it is unknown, or another incarnation by
   * now.
   */
  private static Optional<WorkerSnapshot> concerned(AtWorker share, FleetSnapshot known) {
    return known
        .worker(share.worker())
        .map(WorkerView::snapshot)
        .filter(worker -> worker.incarnation().equals(share.incarnation()));
  }

  private void take(String router, AtWorker share, WorkerSnapshot worker, long nowNanos) {
    leases.told(router, share, nowNanos);
    cached(share, worker);
  }

  private void cached(AtWorker share, WorkerSnapshot worker) {
    // Nothing is sent to a worker while its engine is down, so this statement is older and no
    // longer true.
    if (worker.engineUp()) {
      PrefixChain blocks = new PrefixChain(share.hashes(), share.tokensPerBlock());
      experience.heard(worker.id(), worker.incarnation(), worker.tokenBudget(), blocks);
    }
  }
}
