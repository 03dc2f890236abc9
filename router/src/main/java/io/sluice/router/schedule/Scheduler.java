package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.placement.Placement;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestState.Started;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.dispatch.Dispatcher;
import io.sluice.router.schedule.dispatch.FirstTokenLimit;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state machine of the requests of one partition, over their stored values ({@link
 * RequestState}). Every entry point applies one event and then dispatches what it can. Time comes
 * only from the {@link TimePoint} argument, and all side effects go through {@link Effects}. Not
 * thread-safe: one task, one thread.
 *
 * <p>The router owns the truth about leases: exactly the worker named by the stored value has the
 * request. Queues, timers, the lease watch and the reservations are in memory and are rebuilt by
 * {@link #recover}.
 */
public final class Scheduler {
  /**
   * Half the session timeout. A task that was paused for longer may have lost its partition. It
   * skips one tick, so that the next poll can tell, before it acts on what it remembers.
   */
  static final Duration PAUSE = Duration.ofSeconds(3);

  /**
   * After a recovery, ended requests are remembered for at least this long, whatever the pause,
   * because their records may be delivered again.
   */
  private static final Duration READ_AGAIN = Duration.ofMinutes(10);

  private final RequestStore store;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final Endings endings;
  private final EarlyControls earlyControls;
  private final ModelAvailabilityCheck availability;
  private final Admission admission;
  private final Outcomes outcomes;
  private final LostLeases lostLeases;
  private final TimerHandler timerHandler;
  private final Dispatcher dispatcher;
  private final WaitLimit waitLimit;
  private final UnservedRequests unserved;
  private long tickedNanos;

  /**
   * Creates a scheduler over the store of one task. Call {@link #recover} before any other method.
   *
   * @param watermark the time up to which the outcomes were passed to {@link #outcome}
   */
  public Scheduler(
      int partition,
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      OutcomeWatermark watermark,
      TimePoint now) {
    this.store = store;
    this.parts = parts;
    this.memory = TaskMemory.empty(store, effects, parts, watermark, now);
    this.transitions = new Transitions(store, effects, parts, memory);
    this.endings = transitions.endings();
    this.earlyControls = new EarlyControls(partition, store, parts.earlyControlIds());
    this.availability = new ModelAvailabilityCheck(parts.served(), memory.timers(), endings);
    this.admission =
        new Admission(store, effects, parts, memory, transitions, earlyControls, availability);
    WorkerDeaths deaths = new WorkerDeaths(parts.life(), parts.retries(), memory, transitions);
    this.lostLeases = new LostLeases(store, effects, parts, memory, transitions, deaths);
    this.outcomes = new Outcomes(store, effects, parts, memory, transitions, deaths);
    FirstTokenLimit firstTokenLimit = new FirstTokenLimit(parts.backlog(), endings);
    this.timerHandler =
        new TimerHandler(
            store, memory, transitions, availability, firstTokenLimit, parts.longestDeadline());
    Placement placement =
        new Placement(
            parts.routing(),
            memory.prefixes(),
            memory.reservations(),
            memory.recentHandBacks(),
            memory.suspects());
    this.dispatcher = new Dispatcher(store, parts, memory, placement, firstTokenLimit, transitions);
    this.waitLimit = new WaitLimit(store, parts.backlog(), memory, placement, endings);
    this.unserved =
        new UnservedRequests(store, memory.queue(), parts.served(), parts.listener(), now);
    this.tickedNanos = now.nanos();
  }

  /** Rebuilds the memory from the store, and sends again what may not have been sent. */
  public void recover(TimePoint now) {
    List<TrackedRequest> open = new ArrayList<>();
    List<EndedRequest> ended = new ArrayList<>();
    List<UnreadableRequest> unreadable = new ArrayList<>();
    store.forEach(
        stored -> {
          switch (stored) {
            case TrackedRequest tracked -> open.add(tracked);
            case EndedRequest over -> ended.add(over);
            case EarlyControl control -> earlyControls.restore(control);
            case UnreadableRequest bad -> unreadable.add(bad);
          }
        });
    memory.unreadable().restore(unreadable, now);
    memory.ended().restore(ended, now.epochMillis() + READ_AGAIN.toMillis());
    // Values are stored in order, so whatever was lost is later than everything that is there.
    long noneLostBefore =
        open.stream()
            .flatMapToLong(tracked -> tracked.history().leasedAtMillis().stream())
            .max()
            .orElse(0);
    open.forEach(tracked -> recover(tracked, noneLostBefore, now));
  }

  private void recover(TrackedRequest tracked, long noneLostBefore, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    memory.timers().set(metadata.deadlineEpochMillis(), metadata.requestId());
    availability.found(metadata, now);
    if (tracked.history().deaths() > 0) {
      memory.suspects().add(metadata.requestId());
    }
    switch (tracked.state()) {
      case Pending pending -> {
        if (metadata.fresh()) {
          transitions.found(tracked, pending, noneLostBefore);
        }
        memory.timers().set(pending.notBeforeMillis(), metadata.requestId());
      }
      case Leased leased -> memory.restoreLease(metadata, leased.lease(), now);
      case Started started -> memory.restoreLease(metadata, started.lease(), now);
      case Ending ending -> endings.write(tracked, ending, ending.unwritten());
    }
  }

  /** A record arrived on a request topic. */
  public void request(ParsedRequest reading, RequestBody body, TimePoint now) {
    if (admission.request(reading, body, now)) {
      dispatcher.sendChanged(now);
    }
  }

  /**
   * Returns whether a request whose record could not be processed is stored nevertheless. Such a
   * request ends with its deadline at the latest.
   */
  public boolean livesOn(RequestMetadata metadata) {
    Optional<TrackedRequest> stored =
        store
            .get(metadata.requestId())
            .filter(tracked -> tracked.metadata().source().equals(metadata.source()));
    stored.ifPresent(
        tracked -> memory.timers().set(metadata.deadlineEpochMillis(), metadata.requestId()));
    return stored.isPresent();
  }

  /** A worker reported an outcome. */
  public void outcome(Outcome outcome, TimePoint now) {
    if (outcomes.outcome(outcome, now)) {
      dispatcher.sendTo(outcome.lease().worker(), now);
    }
  }

  /**
   * A caller controls a request. A control for an unknown request is kept, because requests and
   * controls have separate topics and either may be read first.
   *
   * @param keepUntilMillis how long to keep the control if its request has not arrived, epoch
   *     milliseconds; empty if it does not say
   */
  public void control(Control control, OptionalLong keepUntilMillis, TimePoint now) {
    Optional<StoredRequest> known = store.find(control.requestId());
    if (known.isEmpty() || known.get() instanceof EarlyControl) {
      earlyControls.add(control, keepUntilMillis, now);
    } else if (known.get() instanceof TrackedRequest tracked && tracked.isOpen()) {
      control(tracked, control, now);
      dispatcher.sendWaiting(now);
    }
  }

  /** Applies a control, and tells the worker that has the request. */
  private void control(TrackedRequest tracked, Control control, TimePoint now) {
    if (control instanceof Control.Cancel) {
      endings.refuse(tracked, ErrorKind.CANCELLED, "the request was cancelled");
    } else {
      transitions.amend(tracked, tracked.metadata().amended(control, parts.longestDeadline()), now);
      timerHandler.onTimer(tracked.requestId(), now);
    }
  }

  /** An assignment could not be written in time. Its request waits again. */
  public void notAssigned(LeaseRef lease, TimePoint now) {
    lostLeases.notAssigned(lease, now);
  }

  /** A record from {@link Effects#end} is in the log. */
  public void endWritten(String requestId, EndRecord record, TimePoint now) {
    store
        .get(requestId)
        .ifPresent(
            tracked -> {
              if (tracked.state() instanceof Ending ending) {
                endings.written(tracked, ending, record, now);
              }
            });
    if (store.get(requestId).isEmpty()) {
      timerHandler.over(requestId);
    }
  }

  /** A record could not be written. It is written again later. */
  public void endNotWritten(String requestId, EndRecord record, TimePoint now) {
    timerHandler.endNotWritten(requestId, record, now);
  }

  /** Time has passed. Call this every few tens of milliseconds. */
  public void tick(TimePoint now) {
    boolean paused = now.nanos() - tickedNanos > PAUSE.toNanos();
    tickedNanos = now.nanos();
    if (!paused) {
      earlyControls.expire(now);
      parts.refreshServed();
      FleetSnapshot fleet = parts.fleet().get();
      lostLeases.due(fleet, now);
      timerHandler.due(now);
      dispatcher.sendWaiting(now);
      waitLimit.due(now);
      unserved.check(fleet, now);
    }
  }

  /**
   * Returns whether {@link #tick} has nothing to do for a while: no request waits or runs, and no
   * timer is due. A record may change that.
   */
  public boolean isIdle(TimePoint now, Duration ahead) {
    return memory.queue().isEmpty()
        && memory.watch().isEmpty()
        && !memory.timers().areDueBy(now.epochMillis() + ahead.toMillis());
  }

  /** Releases what this task holds in structures that it shares with other tasks. */
  public void close() {
    earlyControls.close();
    memory.close();
  }
}
