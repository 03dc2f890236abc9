package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.catalog.ReplyAddresses;
import io.sluice.router.policy.Decision;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The steps from one {@link RequestState} to the next, with everything that belongs to them: the
 * stored value, the queue, the timers, the lease watch and the reservation. The callers decide when
 * a step is due. Not thread-safe.
 */
final class Transitions {
  /**
   * The attempt number of the router's own errors, above the last attempt that it knows. A router
   * that died may have given attempts that never reached the store, and of two leases with the same
   * attempt the first in the log counts.
   */
  private static final int AHEAD = 1_000;

  private static final Duration LEAST_RETRY_AFTER = Duration.ofSeconds(1);
  private static final Duration MOST_RETRY_AFTER = Duration.ofMinutes(1);

  private static final Duration SUSPECT_LATER = Duration.ofMillis(250);

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Assignments assignments;
  private final ReplyAddresses addresses;
  private final EndWriter ends;

  Transitions(RequestStore store, Effects effects, SchedulerParts parts, TaskMemory memory) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.assignments = new Assignments(parts, memory.suspects());
    this.addresses = new ReplyAddresses(parts.topics());
    this.ends = new EndWriter(store, effects, parts.bodies(), addresses);
  }

  /**
   * A worker gets the request; its slot is already reserved. The request ends instead if the reply
   * topic is gone.
   *
   * @param decision names the worker
   * @param fallbackModel the model under which the worker serves the request, if it is not the
   *     requested one
   */
  void lease(
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
            new DispatchEvent(metadata, decision, attempt, fallbackModel, now.epochMillis()));
  }

  /**
   * The request waits for a worker, or continues to. Deadline-critical bulk is promoted to
   * interactive. A suspect waits until fewer other suspects are in play.
   */
  void waits(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    if (!memory.suspects().mayWait(metadata.requestId())) {
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
  TrackedRequest adopt(TrackedRequest tracked, LeaseRef lease, TimePoint now) {
    Optional<LeaseRef> held = tracked.state().activeLease();
    held.ifPresent(effects::revoke);
    memory.waitsNoMore(tracked.metadata());
    memory.restoreLease(tracked.metadata(), lease, now);
    AttemptEnd end = AttemptEnd.of(AttemptEnd.Reason.SUPERSEDED, "");
    History history =
        held.map(old -> tracked.history().ended(old, end, now)).orElseGet(tracked::history);
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
  TrackedRequest found(TrackedRequest tracked, Pending pending, long noneLostBefore) {
    RequestMetadata metadata = tracked.metadata();
    long since = Math.max(metadata.appendTimeMillis(), noneLostBefore);
    History history = assignments.since(tracked, since);
    return save(new TrackedRequest(metadata.seen(), history, pending));
  }

  /**
   * Another lease has the same attempt number as the stored one. Both end, and the claim of the
   * next attempt decides. Readers may not see an answer from either.
   */
  void contest(TrackedRequest tracked, LeaseRef twin, TimePoint now) {
    effects.revoke(twin);
    LeaseRef held = tracked.state().activeLease().orElseThrow();
    effects.revoke(held);
    AttemptEnd end = AttemptEnd.of(AttemptEnd.Reason.SUPERSEDED, "given_twice");
    requeue(tracked.after(held, end, now), Optional.empty(), now.epochMillis(), "GIVEN_TWICE", now);
  }

  /** Changes the deadline or priority of a request, wherever it is. */
  void amend(TrackedRequest tracked, RequestMetadata metadata, TimePoint now) {
    memory.waitsNoMore(tracked.metadata());
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
  void requeue(
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
    refuse(
        tracked,
        ErrorKind.INVALID_REQUEST,
        "the answer cannot be written, because the reply topic is gone");
  }

  /** Refuses a request for which there is no room. The retry-after time is limited to 1 to 60 s. */
  void overloaded(TrackedRequest tracked, String message, Duration retryAfter) {
    long millis =
        Math.clamp(
            retryAfter.toMillis(), LEAST_RETRY_AFTER.toMillis(), MOST_RETRY_AFTER.toMillis());
    refuse(tracked, ErrorKind.OVERLOADED, message, OptionalLong.of(millis));
  }

  void refuse(TrackedRequest tracked, ErrorKind kind, String message) {
    refuse(tracked, kind, message, OptionalLong.empty());
  }

  /**
   * Ends a request with an error record from the router, which outranks anything that a worker
   * still writes.
   */
  void refuse(
      TrackedRequest tracked, ErrorKind kind, String message, OptionalLong retryAfterMillis) {
    RequestMetadata metadata = tracked.metadata();
    tracked.state().activeLease().ifPresent(effects::revoke);
    int attempt = tracked.history().attempts() + AHEAD;
    LeaseRef lease =
        new LeaseRef(metadata.requestId(), attempt, newLeaseId(), parts.ledger().routerId(), "");
    List<EndRecord> records =
        ends.leavesDeadLetter(tracked, kind)
            ? List.of(EndRecord.DEAD_LETTER, EndRecord.TERMINAL)
            : List.of(EndRecord.TERMINAL);
    end(tracked, tracked.open().end(lease, kind, message, retryAfterMillis, records));
    parts.listener().refused(metadata, kind);
  }

  /** A worker has answered with an error. */
  void answeredWithError(
      TrackedRequest tracked, LeaseRef lease, ErrorKind kind, String message, TimePoint now) {
    List<EndRecord> records =
        ends.leavesDeadLetter(tracked, kind)
            ? List.of(EndRecord.DEAD_LETTER)
            : List.<EndRecord>of();
    Ending ending = tracked.open().end(lease, kind, message, OptionalLong.empty(), records);
    end(tracked, ending);
    parts.listener().answered(tracked.metadata());
    if (records.isEmpty()) {
      finish(tracked.in(ending), now);
    }
  }

  private void end(TrackedRequest tracked, Ending ending) {
    memory.endLease(tracked.requestId());
    memory.waitsNoMore(tracked.metadata());
    writeEnd(save(tracked.in(ending)), ending);
  }

  /** Writes the end records that are not known to be in the log. A record may be written twice. */
  void writeEnd(TrackedRequest tracked, Ending ending) {
    writeEnd(tracked, ending, ending.unwritten());
  }

  void writeEnd(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    ends.write(tracked, ending, records);
  }

  /** One of the end records is in the log. */
  void endWritten(TrackedRequest tracked, Ending ending, EndRecord record, TimePoint now) {
    Ending left = ending.without(record);
    if (left.unwritten().isEmpty()) {
      finish(tracked, now);
    } else {
      save(tracked.in(left));
    }
  }

  /** Everything about the request's end is in the log, whoever wrote it. */
  void finish(TrackedRequest tracked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    memory.endLease(metadata.requestId());
    memory.waitsNoMore(metadata);
    memory.recentRejections().forget(metadata.requestId());
    memory.prefixes().forget(metadata.requestId());
    memory.suspects().cleared(metadata.requestId());
    parts.bodies().forget(metadata.source());
    long latest = now.epochMillis() + parts.longestDeadline().toMillis();
    long deadline = Math.clamp(metadata.deadlineEpochMillis(), now.epochMillis(), latest);
    long forgetAt = deadline + EndedRequest.REMEMBERED.toMillis();
    memory.ended().add(EndedRequest.of(tracked, forgetAt));
    if (!(tracked.state() instanceof Ending)) {
      parts.listener().answered(metadata);
    }
  }

  TrackedRequest save(TrackedRequest tracked) {
    store.put(tracked);
    return tracked;
  }

  private static String newLeaseId() {
    return UUID.randomUUID().toString();
  }
}
