package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.catalog.ReplyAddresses;
import io.sluice.router.policy.Decision;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The steps from one {@link RequestState} of an open request to the next, with everything that
 * belongs to them: the stored value, the queue, the timers, the lease watch and the reservation.
 * The callers decide when a step is due. {@link Endings} has the steps that end a request. Not
 * thread-safe.
 */
public final class Transitions {
  private static final Duration SUSPECT_LATER = Duration.ofMillis(250);

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Assignments assignments;
  private final ReplyAddresses addresses;
  private final Endings endings;

  public Transitions(RequestStore store, Effects effects, SchedulerParts parts, TaskMemory memory) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.assignments = new Assignments(parts, memory.suspects());
    this.addresses = new ReplyAddresses(parts.topics());
    this.endings = new Endings(store, effects, parts, memory, addresses);
  }

  /** Returns the steps that end a request. */
  public Endings endings() {
    return endings;
  }

  /**
   * A worker gets the request; its slot is already reserved. The request ends instead if the reply
   * topic is gone.
   *
   * @param decision names the worker
   * @param fallbackModel the model under which the worker serves the request, if it is not the
   *     requested one
   */
  public void lease(
      TrackedRequest tracked,
      RequestBody body,
      Decision decision,
      Optional<String> fallbackModel,
      TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (addresses.isGone(metadata.replyTo())) {
      refuseUnanswerable(tracked);
      return;
    }
    WorkerSnapshot worker = decision.choice().orElseThrow().snapshot();
    long prefixWaitMillis = memory.prefixWaits().waitedMillis(metadata.requestId(), now);
    memory.waitsNoMore(metadata);
    int attempt = tracked.history().attempts() + 1;
    History begun = assignments.begun(tracked, now);
    LeaseRef lease =
        new LeaseRef(
            metadata.requestId(), attempt, newLeaseId(), worker.id(), worker.incarnation());
    TrackedRequest leased =
        save(tracked.in(begun.leased(attempt, now.epochMillis()), tracked.pending().lease(lease)));
    memory.watch().begin(lease, now.nanos());
    effects.assign(assignments.of(leased, lease, fallbackModel, now), body);
    parts
        .listener()
        .dispatched(
            new DispatchEvent(
                metadata, decision, attempt, fallbackModel, now.epochMillis(), prefixWaitMillis));
  }

  /**
   * The request waits for a worker, or continues to. Deadline-critical bulk is promoted to
   * interactive. A suspect waits until fewer other suspects are in play.
   */
  public void waits(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (!memory.suspects().mayWait(metadata)) {
      long later = now.epochMillis() + SUSPECT_LATER.toMillis();
      save(tracked.in(tracked.pending().postpone(later)));
      memory.timers().set(later, metadata.requestId());
      return;
    }
    if (metadata.isDeadlineCritical(now)) {
      memory.waitsNoMore(metadata);
      metadata = metadata.promoted();
      save(new TrackedRequest(metadata, tracked.history(), tracked.state()));
    }
    memory.waits(metadata, now);
  }

  /**
   * A worker has the request under a lease with a later attempt than the stored one. That lease
   * counts from now on.
   */
  public TrackedRequest adopt(TrackedRequest tracked, LeaseRef lease, TimePoint now) {
    Optional<LeaseRef> active = tracked.state().activeLease();
    active.ifPresent(effects::revoke);
    memory.waitsNoMore(tracked.metadata());
    memory.restoreLease(tracked.metadata(), lease, now);
    AttemptEnd end = AttemptEnd.of(AttemptEnd.Reason.SUPERSEDED, "");
    History history =
        active.map(old -> tracked.history().ended(old, end, now)).orElseGet(tracked::history);
    return save(
        tracked.in(
            history.leased(lease.attempt(), now.epochMillis()), tracked.open().adopt(lease)));
  }

  /**
   * A starting task found a pending request. Its first assignment may have been sent without a
   * record in the store.
   *
   * @param noneLostBefore the time before which no stored record was lost, epoch milliseconds
   */
  public TrackedRequest found(TrackedRequest tracked, Pending pending, long noneLostBefore) {
    RequestMetadata metadata = tracked.metadata();
    long since = Math.max(metadata.appendTimeMillis(), noneLostBefore);
    History history = assignments.since(tracked, since);
    return save(new TrackedRequest(metadata.seen(), history, pending));
  }

  /**
   * Another lease has the same attempt number as the stored one. Both end, and the claim of the
   * next attempt decides. Readers may not see an answer from either.
   */
  public void contest(TrackedRequest tracked, LeaseRef twin, TimePoint now) {
    effects.revoke(twin);
    LeaseRef active = tracked.state().activeLease().orElseThrow();
    effects.revoke(active);
    AttemptEnd end = AttemptEnd.of(AttemptEnd.Finding.GIVEN_TWICE);
    requeue(tracked.after(active, end, now), Optional.empty(), now.epochMillis(), end.code(), now);
  }

  /** Changes the deadline or priority of a request, wherever it is. */
  public void amend(TrackedRequest tracked, RequestMetadata metadata, TimePoint now) {
    memory.waitsNoMore(tracked.metadata());
    memory.forgetTimes(tracked.metadata());
    save(new TrackedRequest(metadata, tracked.history(), tracked.state()));
    memory.timers().set(metadata.deadlineEpochMillis(), metadata.requestId());
    tracked
        .state()
        .activeLease()
        .ifPresent(
            lease ->
                effects.amend(
                    new Amendment(lease, metadata.priority(), metadata.remainingMillis(now))));
  }

  /**
   * A lease ended without an answer. The request waits again, but not before the given time. It
   * ends instead if the reply topic is gone.
   */
  public void requeue(
      TrackedRequest tracked, LeaseRef lease, long notBeforeMillis, String reason, TimePoint now) {
    requeue(tracked, Optional.of(lease), notBeforeMillis, reason, now);
  }

  private void requeue(
      TrackedRequest tracked,
      Optional<LeaseRef> last,
      long notBeforeMillis,
      String reason,
      TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (addresses.isGone(metadata.replyTo())) {
      refuseUnanswerable(tracked);
      return;
    }
    memory.endLease(metadata.requestId());
    TrackedRequest pending = save(tracked.in(tracked.withWorker().requeue(notBeforeMillis, last)));
    memory.timers().set(metadata.deadlineEpochMillis(), metadata.requestId());
    if (notBeforeMillis <= now.epochMillis()
        && now.epochMillis() < metadata.deadlineEpochMillis()) {
      waits(pending, now);
    } else {
      memory.timers().set(notBeforeMillis, metadata.requestId());
    }
    parts.listener().requeued(metadata, reason);
  }

  private void refuseUnanswerable(TrackedRequest tracked) {
    endings.refuse(
        tracked,
        ErrorKind.INVALID_REQUEST,
        "the answer cannot be written, because the reply topic is gone");
  }

  public TrackedRequest save(TrackedRequest tracked) {
    store.put(tracked);
    return tracked;
  }

  static String newLeaseId() {
    return UUID.randomUUID().toString();
  }
}
