package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.schedule.RequestState.Ended;
import io.sluice.router.schedule.RequestState.Ending;
import io.sluice.router.schedule.RequestState.Leased;
import io.sluice.router.schedule.RequestState.Pending;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The steps from one {@link RequestState} to the next, each with everything that goes with it: the
 * stored value, the queue, the timers, the watch over the lease and its reservation. Whether a step
 * is due is decided by {@link Scheduler}. Not thread-safe.
 */
final class Transitions {
  /** A repeat of an id is recognised at least so long, and so long after its deadline. */
  private static final Duration REMEMBER = Duration.ofHours(1);

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final PendingQueue queue;
  private final Timers timers;
  private final LeaseWatch watch;
  private final Placement placement;

  Transitions(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      PendingQueue queue,
      Timers timers,
      LeaseWatch watch,
      Placement placement) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.queue = queue;
    this.timers = timers;
    this.watch = watch;
    this.placement = placement;
  }

  /** A worker gets the request; its slot is reserved already. */
  void lease(TrackedRequest tracked, RequestBody body, WorkerSnapshot worker, Now now) {
    RequestFacts facts = tracked.facts();
    queue.remove(facts);
    placement.settled(facts.requestId());
    int attempt = tracked.history().attempts() + 1;
    LeaseRef lease =
        new LeaseRef(facts.requestId(), attempt, newLeaseId(), worker.id(), worker.incarnation());
    save(tracked.in(tracked.history().leased(attempt), new Leased(lease)));
    watch.begin(facts.requestId(), lease, now.nanos());
    effects.assign(assignment(tracked, lease), body);
    long waited = Math.max(0, now.epochMillis() - facts.appendTimeMillis());
    parts.listener().assigned(facts, lease.worker(), attempt, waited);
  }

  TrackedRequest adopt(TrackedRequest tracked, LeaseRef lease, Now now) {
    endLease(tracked);
    queue.remove(tracked.facts());
    restoreLease(tracked.facts(), lease, now);
    return save(tracked.in(tracked.history().leased(lease.attempt()), new Leased(lease)));
  }

  private Assignment assignment(TrackedRequest tracked, LeaseRef lease) {
    RequestFacts facts = tracked.facts();
    return new Assignment(
        lease,
        parts.ledger().routerId(),
        facts.fresh() && lease.attempt() == 1,
        tracked.history().firstReplyOffset(),
        facts.appendTimeMillis(),
        facts.replyTo(),
        facts.endpoint(),
        facts.priority(),
        facts.deadlineEpochMillis(),
        facts.appendTimeMillis(),
        facts.requestPartition(),
        false);
  }

  void requeue(TrackedRequest tracked, LeaseRef lease, long notBefore, String reason) {
    endLease(tracked);
    save(tracked.in(new Pending(notBefore, Optional.of(lease))));
    timers.set(notBefore, tracked.facts().requestId());
    timers.set(tracked.facts().deadlineEpochMillis(), tracked.facts().requestId());
    parts.listener().requeued(tracked.facts(), reason);
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
    tracked.state().held().ifPresent(effects::revoke);
    endLease(tracked);
    queue.remove(tracked.facts());
    LeaseRef lease =
        new LeaseRef(
            tracked.facts().requestId(),
            tracked.history().attempts() + 1,
            newLeaseId(),
            parts.ledger().routerId(),
            "");
    Ending ending = new Ending(lease, kind.toJson(message, retryAfterMillis));
    TrackedRequest last = save(tracked.in(ending));
    if (kind != ErrorKind.CANCELLED && kind != ErrorKind.OVERLOADED) {
      deadLetter(last, kind, message);
    }
    writeTerminal(last, ending);
    parts.listener().refused(tracked.facts(), kind);
  }

  void writeTerminal(TrackedRequest tracked, Ending ending) {
    RequestBody body = store.body(tracked.facts().requestId()).orElseGet(RequestBody::lost);
    effects.terminal(
        tracked.facts(), body, ending.lease(), tracked.history().tokens(), ending.reply());
  }

  void deadLetter(TrackedRequest tracked, ErrorKind kind, String message) {
    store
        .body(tracked.facts().requestId())
        .ifPresent(body -> effects.deadLetter(tracked.facts(), body, kind, message));
  }

  void finish(TrackedRequest tracked, Now now) {
    RequestFacts facts = tracked.facts();
    boolean byWorker = !(tracked.state() instanceof Ending);
    endLease(tracked);
    queue.remove(facts);
    placement.settled(facts.requestId());
    long forgetAt = Math.max(now.epochMillis(), facts.deadlineEpochMillis()) + REMEMBER.toMillis();
    save(tracked.in(new Ended(forgetAt)));
    store.forgetBody(facts.requestId());
    timers.set(forgetAt, facts.requestId());
    if (byWorker) {
      parts.listener().answered(facts);
    }
  }

  void restoreLease(RequestFacts facts, LeaseRef lease, Now now) {
    parts.ledger().restore(lease.worker(), facts.contextTokens());
    watch.restore(facts.requestId(), lease, now.nanos());
  }

  private void endLease(TrackedRequest tracked) {
    tracked
        .state()
        .held()
        .ifPresent(
            lease -> {
              parts.ledger().release(lease.worker(), tracked.facts().contextTokens());
              watch.end(lease.requestId());
            });
  }

  TrackedRequest save(TrackedRequest tracked) {
    store.put(tracked);
    return tracked;
  }

  private static String newLeaseId() {
    return UUID.randomUUID().toString();
  }
}
