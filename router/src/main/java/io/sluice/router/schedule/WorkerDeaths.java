package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.FailureCode.Charge;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.lease.LeaseWatch.Verdict;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a lost lease means for its request. A prompt may kill every worker process or engine
 * that it reaches. So an attempt counts against its request if it gave no token and its worker or
 * engine died; the second such attempt ends the request. Whether a silent worker died is sometimes
 * known only when it reports again or restarts. Every loss therefore judges the earlier ones again,
 * and a request that may have killed two workers does not go to a third one until that is certain,
 * for {@link #CERTAIN_WITHIN} at most. Not thread-safe.
 */
final class WorkerDeaths {
  /** How many workers may die while they serve a request, without a token in between. */
  static final int MOST = 2;

  /** Longer than a worker takes to restart. */
  static final Duration CERTAIN_WITHIN = Duration.ofSeconds(8);

  /**
   * Workers that fall silent within this time of each other have a common cause outside of them.
   */
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  private enum Fate {
    LIVES,
    UNCERTAIN,
    AWAY_WITH_MOST,
    DEAD
  }

  private final WorkerLiveness life;
  private final RetryPolicy retries;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final Endings endings;

  WorkerDeaths(
      WorkerLiveness life, RetryPolicy retries, TaskMemory memory, Transitions transitions) {
    this.life = life;
    this.retries = retries;
    this.memory = memory;
    this.transitions = transitions;
    this.endings = transitions.endings();
  }

  /** Judges the earlier attempts of a request again, by what is known about their workers now. */
  TrackedRequest judgedAgain(TrackedRequest tracked, FleetSnapshot fleet, TimePoint now) {
    History history = tracked.history();
    for (LeaseRef lease : memory.suspects().causes(tracked.requestId())) {
      switch (fate(lease, fleet, now)) {
        case LIVES -> {
          history = history.judged(lease, Reason.LOST);
          memory.suspects().remove(tracked.requestId(), lease);
        }
        case DEAD -> history = history.judged(lease, Reason.DIED);
        case UNCERTAIN, AWAY_WITH_MOST -> {
          // The earlier judgement stands.
        }
      }
    }
    return history.equals(tracked.history())
        ? tracked
        : transitions.save(tracked.in(history, tracked.state()));
  }

  /** Returns whether to wait before a lost lease is acted on. */
  boolean isOpen(TrackedRequest tracked, LeaseWatch.Lost lost, FleetSnapshot fleet, TimePoint now) {
    return lost.wasHeard()
        && !isOld(lost, now)
        && mayBeTheLast(tracked)
        && fate(tracked, lost, fleet, now) == Fate.UNCERTAIN;
  }

  /** The lease of a request is lost. The request waits again or ends. */
  void lost(TrackedRequest tracked, LeaseWatch.Lost lost, FleetSnapshot fleet, TimePoint now) {
    Fate fate = fate(tracked, lost, fleet, now);
    Reason reason = fate == Fate.DEAD && lost.wasHeard() ? Reason.DIED : Reason.LOST;
    TrackedRequest after =
        tracked.after(lost.lease(), AttemptEnd.of(reason, lost.verdict().code()), now);
    if (after.history().deaths() >= MOST) {
      end(after);
      return;
    }
    if (fate == Fate.DEAD || (fate == Fate.UNCERTAIN && lost.wasHeard())) {
      suspect(tracked.requestId(), lost);
    }
    transitions.requeue(after, lost.lease(), now.epochMillis(), lost.verdict().code(), now);
  }

  /**
   * A worker reports how many tokens of a request are in the log. A worker may have died before it
   * could report those that it made, and the next one finds them. They clear a suspect, once:
   * deaths after that count again.
   */
  void reached(TrackedRequest tracked, int tokens) {
    History before = tracked.history();
    History reached = before.reached(tokens);
    if (reached.tokens() > before.tokens() && memory.suspects().contains(tracked.requestId())) {
      memory.suspects().cleared(tracked.requestId());
      transitions.save(tracked.in(reached, tracked.state()));
    }
  }

  /**
   * A worker reports that its engine died. If the attempt added tokens, the request continues at no
   * cost. If it had started but got no further than earlier attempts, it counts as failed. If it
   * got no token at all, the request may be the cause.
   */
  void engineDied(TrackedRequest tracked, LeaseRef lease, Outcome.Failed failed, TimePoint now) {
    History before = tracked.history();
    History reached = before.reached(failed.tokens());
    boolean gotFurther = reached.tokens() > before.tokens();
    boolean isSuspect = !gotFurther && tracked.state() instanceof Leased;
    TrackedRequest after =
        isSuspect
            ? tracked.after(lease, AttemptEnd.of(Reason.DIED, failed), now)
            : tracked
                .in(gotFurther ? reached : reached.failed(), tracked.state())
                .after(lease, AttemptEnd.of(failed), now);
    if (after.history().deaths() >= MOST) {
      end(after);
    } else if (retries.exhausted(after.history())) {
      endings.refuse(
          after,
          Charge.FAILURE.error(),
          "%d attempts failed; in the last one the engine of %s died; check its log"
              .formatted(after.history().failures(), lease.worker()));
    } else {
      if (isSuspect) {
        memory.suspects().add(tracked.requestId());
      } else {
        memory.suspects().cleared(tracked.requestId());
      }
      transitions.requeue(after, lease, now.epochMillis(), failed.code().code(), now);
    }
  }

  private void end(TrackedRequest tracked) {
    List<String> dead = tracked.history().dead();
    endings.refuse(
        tracked,
        Charge.DEATH.error(),
        "%d workers or their engines died while they served the request, without a token in between; the last one was %s; the request is not tried again, because it may be the cause"
            .formatted(dead.size(), dead.getLast()));
  }

  /**
   * A worker that died before it reported the request may have died of it nevertheless. The next
   * death will tell: a worker reports a suspect before it passes it to its engine.
   */
  private void suspect(String requestId, LeaseWatch.Lost lost) {
    if (lost.wasHeard()) {
      memory.suspects().add(requestId, lost.lease());
    } else {
      memory.suspects().add(requestId);
    }
  }

  /** Returns whether one more death would end the request, or may. */
  private boolean mayBeTheLast(TrackedRequest tracked) {
    int suspected = memory.suspects().causes(tracked.requestId()).size();
    return Math.max(suspected, tracked.history().deaths()) + 1 >= MOST;
  }

  private static boolean isOld(LeaseWatch.Lost lost, TimePoint now) {
    return now.nanos() - lost.sinceNanos() >= CERTAIN_WITHIN.toNanos();
  }

  /**
   * Returns the fate of a worker that gave no token. A worker that is gone signed off, and one that
   * gave a token has shown that it can serve the request. Both count as alive.
   */
  private Fate fate(
      TrackedRequest tracked, LeaseWatch.Lost lost, FleetSnapshot fleet, TimePoint now) {
    boolean mayHaveDied =
        switch (lost.verdict()) {
          case WORKER_RESTARTED, WORKER_SILENT, NO_PROGRESS, NOT_ACCEPTED -> true;
          case WORKER_GONE -> false;
        };
    if (!mayHaveDied || !(tracked.state() instanceof Leased)) {
      return Fate.LIVES;
    }
    boolean isForgotten =
        fleet.worker(lost.lease().worker()).isEmpty() && now.nanos() - lost.sinceNanos() > 0;
    Fate fate = isForgotten ? Fate.DEAD : fate(lost.lease(), fleet, now);
    // A loss that was not reported does not count, so it needs no proof.
    boolean isProven =
        lost.verdict() == Verdict.WORKER_RESTARTED || lost.isWatched() || !lost.wasHeard();
    return fate == Fate.DEAD && !isProven && !isOld(lost, now) ? Fate.UNCERTAIN : fate;
  }

  /** Returns the fate of the worker of a lease, according to the registry. */
  private Fate fate(LeaseRef lease, FleetSnapshot fleet, TimePoint now) {
    Optional<WorkerView> worker = fleet.worker(lease.worker());
    if (!fleet.fresh() || worker.isEmpty()) {
      return Fate.UNCERTAIN;
    }
    String incarnation = worker.get().snapshot().incarnation();
    if (!incarnation.equals(lease.incarnation())) {
      // A worker that was frozen has lost its leases, but it did not die.
      return lease.isOfProcess(incarnation) ? Fate.LIVES : Fate.DEAD;
    }
    if (life.isSilent(worker.get(), fleet, 1, now.nanos())) {
      return isAlone(worker.get(), fleet, now) ? Fate.DEAD : Fate.AWAY_WITH_MOST;
    }
    return life.isAlive(fleet, lease, now.nanos()) ? Fate.LIVES : Fate.UNCERTAIN;
  }

  /**
   * Returns whether the worker fell silent alone, or at most half of the fleet fell silent with it.
   */
  private boolean isAlone(WorkerView worker, FleetSnapshot fleet, TimePoint now) {
    long together =
        fleet.workers().values().stream()
            .filter(view -> life.isSilent(view, fleet, 1, now.nanos()))
            .filter(
                view -> Math.abs(view.heardAtNanos() - worker.heardAtNanos()) < TOGETHER.toNanos())
            .count();
    return together <= 1 || together * 2 <= fleet.workers().size();
  }
}
