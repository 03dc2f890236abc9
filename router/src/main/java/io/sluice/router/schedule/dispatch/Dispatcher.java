package io.sluice.router.schedule.dispatch;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.util.List;
import java.util.function.Supplier;

/**
 * Dispatches the waiting requests of one task to workers that have room. A request goes to its
 * fallback model if the workers of its own model have no room and it has waited long enough. A
 * request that has waited long for room may reserve capacity ({@link
 * TaskReservations#reserveCapacity}). The requests behind it then go to other workers. Not
 * thread-safe.
 */
public final class Dispatcher {
  private final PendingQueue queue;
  private final PendingQueue overdue;
  private final Supplier<FleetSnapshot> fleet;
  private final WorkerChanges changes;
  private final Placement placement;
  private final QueueDispatch inTurn;
  private final QueueDispatch onFallback;
  private final ReservedDispatch withCapacity;

  public Dispatcher(
      RequestStore store,
      SchedulerParts parts,
      TaskMemory memory,
      Placement placement,
      FirstTokenLimit firstTokenLimit,
      Transitions transitions) {
    this.queue = memory.queue();
    this.overdue = memory.fallbacks().overdue();
    this.fleet = parts.fleet();
    this.changes = new WorkerChanges(parts.ledger());
    this.placement = placement;
    DispatchParts common =
        new DispatchParts(
            store,
            fleet,
            placement,
            firstTokenLimit,
            memory.prefixWaits(),
            new AssignmentSender(parts, placement, transitions));
    QueueRole requested = new RequestedModelRole(store, memory);
    this.inTurn = new QueueDispatch(queue, requested, common);
    this.onFallback = new QueueDispatch(overdue, new FallbackRole(overdue), common);
    this.withCapacity =
        new ReservedDispatch(queue, memory.reservations(), requested, inTurn, common);
  }

  /** Dispatches after time has passed: any worker may have changed. */
  public void sendWaiting(TimePoint now) {
    // While nothing waits, changes are left to be reported later.
    boolean waits = !queue.isEmpty() || !overdue.isEmpty();
    send(waits ? changes.sinceLastTime(fleet.get()) : List.of(), now);
  }

  /** Dispatches after the set of waiting requests may have changed. */
  public void sendChanged(TimePoint now) {
    send(List.of(), now);
  }

  /** Dispatches after one worker may have room. */
  public void sendTo(String worker, TimePoint now) {
    send(fleet.get().worker(worker).stream().toList(), now);
  }

  private void send(List<WorkerView> changed, TimePoint now) {
    // In a full fleet most workers have no free slot. It is cheaper to find that out once than once
    // per group.
    List<WorkerView> withSlots = changed.stream().filter(placement::hasSlot).toList();
    inTurn.send(withSlots, now);
    onFallback.send(withSlots, now);
    withCapacity.send(withSlots, now);
  }
}
