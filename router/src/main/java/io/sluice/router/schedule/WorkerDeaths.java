package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.schedule.RequestState.Leased;
import java.time.Duration;
import java.util.Optional;

/**
 * What a lost lease says of its request. A prompt may kill the process of every worker it comes to;
 * so an attempt that gave no token and whose worker died counts against its request, and the second
 * ends it. Not thread-safe.
 */
final class WorkerDeaths {
  /** So many workers may die at a request, with no token between. */
  static final int MOST = 2;

  /** Workers that fall silent within this time do so for one reason, which is none of theirs. */
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  private final WorkerLife life;
  private final TaskMemory memory;
  private final Transitions transitions;

  WorkerDeaths(WorkerLife life, TaskMemory memory, Transitions transitions) {
    this.life = life;
    this.memory = memory;
    this.transitions = transitions;
  }

  /** A request's lease is lost: it waits again, or is ended. */
  void lost(TrackedRequest tracked, LeaseWatch.Lost lost, FleetSnapshot fleet, Now now) {
    boolean isDeath = isDeath(tracked, lost, fleet, now);
    AttemptEnd end = AttemptEnd.of(isDeath ? Reason.DIED : Reason.LOST, lost.verdict().name());
    TrackedRequest after = corrected(tracked, fleet, now).after(lost.lease(), end, now);
    if (isDeath && after.history().deaths() >= MOST) {
      transitions.refuse(
          after,
          ErrorKind.WORKER_LOST,
          "%d workers died at it before it gave a token, the last one %s; it is not tried again, for it may be what kills them"
              .formatted(after.history().deaths(), lost.lease().worker()));
      return;
    }
    if (isDeath) {
      memory.suspects().add(tracked.requestId(), Optional.of(lost.lease()));
    }
    transitions.requeue(after, lost.lease(), now.epochMillis(), lost.verdict().name(), now);
  }

  /** A worker that seemed to die, and is heard of again, had only been silent. */
  private TrackedRequest corrected(TrackedRequest tracked, FleetSnapshot fleet, Now now) {
    return memory
        .suspects()
        .causeOf(tracked.requestId())
        .filter(lease -> life.isBeating(fleet, lease, now.nanos()))
        .map(alive -> tracked.in(tracked.history().proven(), tracked.state()))
        .orElse(tracked);
  }

  /**
   * Whether the worker died while it had the request, and had given no token of it. A worker that
   * is gone signed off, one that gave a token has shown that it bears the request, and what this
   * router did not witness from the acceptance on proves nothing.
   */
  private boolean isDeath(
      TrackedRequest tracked, LeaseWatch.Lost lost, FleetSnapshot fleet, Now now) {
    boolean hasFallen =
        switch (lost.verdict()) {
          case WORKER_RESTARTED -> true;
          case WORKER_SILENT -> isAlone(lost, fleet, now);
          case WORKER_GONE, NOT_ACCEPTED, NO_PROGRESS -> false;
        };
    return hasFallen && lost.isWitnessed() && tracked.state() instanceof Leased;
  }

  /** Whether not more than half of the fleet, and more than this one, fell silent with it. */
  private boolean isAlone(LeaseWatch.Lost lost, FleetSnapshot fleet, Now now) {
    long heard = fleet.worker(lost.lease().worker()).map(WorkerView::heardAtNanos).orElse(0L);
    long together =
        fleet.workers().values().stream()
            .filter(view -> life.isSilent(view, fleet, 1, now.nanos()))
            .filter(view -> Math.abs(view.heardAtNanos() - heard) < TOGETHER.toNanos())
            .count();
    return together <= 1 || together * 2 <= fleet.workers().size();
  }
}
