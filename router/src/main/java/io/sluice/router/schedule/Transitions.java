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
 * The steps from one {@link RequestState} to the next, each with everything that goes with it: the
 * stored value, the queue, the timers, the watch over the lease and its reservation. Whether a step
 * is due is decided elsewhere. Not thread-safe.
 */
final class Transitions {
  /**
   * How far the router's own errors are ahead of the last attempt that it knows of: a router that
   * died may have given some that never reached the store, and of two leases of one attempt the
   * first in the log counts.
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
   * A worker gets the request; its slot is reserved already. Where nobody could be told the answer
   * it ends instead.
   *
   * @param decision names the worker
   * @param fallbackModel under which it serves it, where that is not the model asked for
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
   * The request waits for a worker, as before or from now on. Bulk work that has no more time to
   * spare does so as an interactive request, and one that workers may die of does when others like
   * it are through.
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
   * A worker has the request under a lease of a higher attempt than is known here: it is the one
   * that counts.
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
   * A request was found waiting by a task that begins. Its first assignment may have been sent, and
   * the record of that been lost.
   *
   * @param noneLostBefore a time before which no such record was lost, epoch milliseconds
   */
  TrackedRequest found(TrackedRequest tracked, Pending pending, long noneLostBefore) {
    RequestMetadata metadata = tracked.metadata();
    long since = Math.max(metadata.appendTimeMillis(), noneLostBefore);
    History history = assignments.since(tracked, since);
    return save(new TrackedRequest(metadata.seen(), history, pending));
  }

  /**
   * Another lease has the attempt that ours has: both end, and the next attempt claims and so
   * decides. An answer of either may be one that no reader sees.
   */
  void contest(TrackedRequest tracked, LeaseRef twin, TimePoint now) {
    effects.revoke(twin);
    LeaseRef held = tracked.state().activeLease().orElseThrow();
    effects.revoke(held);
    AttemptEnd end = AttemptEnd.of(AttemptEnd.Reason.SUPERSEDED, "given_twice");
    requeue(tracked.after(held, end, now), Optional.empty(), now.epochMillis(), "GIVEN_TWICE", now);
  }

  /** A request asks for something else than it did, wherever it is. */
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
   * A lease ended without an answer: the request waits again, though not before a time; it ends if
   * nobody could be told the answer any more.
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
    refuse(tracked, ErrorKind.INVALID_REQUEST, "the answer cannot be written");
  }

  /** Refuses a request for which there is no room, and says when to come back: 1 to 60 s. */
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
   * Ends a request by an error record of the router's own, which outranks whatever a worker still
   * writes.
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

  /** Sends what is not known to be in the log of a request that ends; it may come twice then. */
  void writeEnd(TrackedRequest tracked, Ending ending) {
    writeEnd(tracked, ending, ending.unwritten());
  }

  void writeEnd(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    ends.write(tracked, ending, records);
  }

  /** One of the records with which a request ends is in the log. */
  void endWritten(TrackedRequest tracked, Ending ending, EndRecord record, TimePoint now) {
    Ending left = ending.without(record);
    if (left.unwritten().isEmpty()) {
      finish(tracked, now);
    } else {
      save(tracked.in(left));
    }
  }

  /** All that is to be told of a request is in the log, whoever wrote it. */
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
