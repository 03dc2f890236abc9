package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * What a worker's report does to its request. The report of the lease that the store names counts;
 * so does the answer of the lease before, as long as nobody else was asked, and every report of a
 * higher attempt, which another router has given. A worker that reports anything else as running is
 * told to stop.
 *
 * <p>Why the answer of an earlier lease does not count once a later one was given: readers ignore
 * it if the later one's claim stands before it, and of that order the outcomes tell nothing, for a
 * claim is not reported. To end the request then, and to revoke the later lease, could leave
 * readers without an end. To wait costs one reading of the reply log and no generation: the later
 * worker folds the log through its own claim, so it meets every answer that stands before it, and
 * reports that one as its own; an answer behind its claim is none. Either way the request ends once
 * in the log, and here by the report of the lease that the store names.
 *
 * <p>Not thread-safe.
 */
final class Outcomes {
  /** Before somebody else is asked who may find the same: another one at it, or no time left. */
  private static final Duration STALE_BACKOFF = Duration.ofMillis(200);

  /** With the time that each takes, and more and more between them, about two minutes. */
  private static final int MAX_UNREADABLE = 12;

  private static final int MESSAGE_CHARACTERS = 1_000;

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final WorkerDeaths deaths;

  Outcomes(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      TaskMemory memory,
      Transitions transitions,
      WorkerDeaths deaths) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.transitions = transitions;
    this.deaths = deaths;
  }

  /** Returns whether a request or a worker's room may have changed by it. */
  boolean outcome(Outcome outcome, TimePoint now) {
    parts.localBreakers().heard(outcome, now);
    memory.watch().reported(outcome.lease(), now.nanos());
    LeaseRef lease = outcome.lease();
    if (saysNothingNew(outcome.event()) && memory.watch().isCurrent(lease)) {
      memory.watch().heard(lease.requestId(), now.nanos());
      return false;
    }
    Optional<TrackedRequest> known = store.get(lease.requestId());
    if (known.isPresent() && known.get().state().activeLease().equals(Optional.of(lease))) {
      apply(known.get(), lease, outcome.event(), now);
    } else if (known.isPresent() && isAnswerOfLastLease(known.get(), outcome)) {
      apply(known.get(), lease, outcome.event(), now);
    } else if (known.isPresent() && isTwin(known.get(), lease)) {
      transitions.contest(known.get(), lease, now);
    } else if (known.isPresent() && isAhead(known.get(), lease)) {
      apply(transitions.adopt(known.get(), lease, now), lease, outcome.event(), now);
    } else if (saysAlive(outcome.event())) {
      effects.revoke(lease);
    }
    return true;
  }

  /** The lease was ended for its silence, but it had answered before anybody else was asked. */
  private static boolean isAnswerOfLastLease(TrackedRequest tracked, Outcome outcome) {
    return tracked.state() instanceof Pending pending
        && pending.last().equals(Optional.of(outcome.lease()))
        && endsRequest(outcome.event());
  }

  /**
   * Two routers gave the same attempt, one of which had lost the task and did not know it. Readers
   * follow whichever wrote first, which nobody here knows: neither counts.
   */
  private static boolean isTwin(TrackedRequest tracked, LeaseRef lease) {
    return tracked
        .state()
        .activeLease()
        .filter(held -> held.attempt() == lease.attempt() && !held.lease().equals(lease.lease()))
        .isPresent();
  }

  /** Another router, or this one before a crash, gave a lease that our store has not heard of. */
  private static boolean isAhead(TrackedRequest tracked, LeaseRef lease) {
    return tracked.isOpen() && lease.attempt() > tracked.history().attempts();
  }

  private void apply(TrackedRequest tracked, LeaseRef lease, Outcome.Event event, TimePoint now) {
    String requestId = lease.requestId();
    memory.watch().heard(requestId, now.nanos());
    switch (event) {
      case Outcome.Accepted ignored -> {}
      case Outcome.Progress ignored -> {}
      case Outcome.Started started -> {
        memory.reservations().started(requestId, started.cachedTokens(), now);
        memory.suspects().cleared(requestId);
        History history = tracked.history().started(lease.attempt(), started.offset()).proven();
        transitions.save(tracked.in(history, tracked.withWorker().start()));
      }
      case Outcome.Completed completed -> {
        memory.reservations().answered(requestId, completed.cachedTokens());
        parts.backlog().answered(tracked.metadata(), now);
        learn(tracked, lease, completed);
        transitions.finish(tracked, now);
      }
      case Outcome.Cancelled ignored -> transitions.finish(tracked, now);
      case Outcome.Expired ignored ->
          transitions.answeredWithError(
              tracked.after(lease, AttemptEnd.of(Reason.EXPIRED, ""), now),
              lease,
              ErrorKind.DEADLINE_EXCEEDED,
              "the deadline passed while " + lease.worker() + " was at it",
              now);
      case Outcome.Returned returned -> {
        memory.recentRejections().add(lease, parts.fleet().get(), now);
        History history = tracked.history().returned(returned);
        transitions.requeue(
            tracked
                .in(history, tracked.state())
                .after(lease, AttemptEnd.of(Reason.RETURNED, returned.reason().name()), now),
            lease,
            now.epochMillis() + backoff(returned.reason()).toMillis(),
            returned.reason().name(),
            now);
      }
      case Outcome.Superseded ignored ->
          transitions.requeue(
              tracked.after(lease, AttemptEnd.of(Reason.SUPERSEDED, ""), now),
              lease,
              now.epochMillis() + STALE_BACKOFF.toMillis(),
              "SUPERSEDED",
              now);
      case Outcome.Rejected rejected -> rejected(tracked, lease, rejected, now);
      case Outcome.Failed failed -> {
        memory.recentRejections().add(lease, parts.fleet().get(), now);
        History reached = tracked.history().reached(failed.tokens());
        switch (failed.code().charge()) {
          case DEATH -> deaths.engineDied(tracked, lease, failed, now);
          case FAILURE -> failed(tracked, lease, failed, reached.failed(), now);
          case SCAN -> failed(tracked, lease, failed, reached.unreadable(), now);
          case NOTHING -> failed(tracked, lease, failed, reached, now);
        }
      }
    }
  }

  /** How long the prompt was, if the model that was asked for has said so of just that. */
  private void learn(TrackedRequest tracked, LeaseRef lease, Outcome.Completed completed) {
    RequestMetadata metadata = tracked.metadata();
    boolean isOwnModel =
        parts
            .fleet()
            .get()
            .worker(lease.worker())
            .filter(worker -> worker.snapshot().models().contains(metadata.model()))
            .isPresent();
    if (isOwnModel && lease.attempt() == 1) {
      parts
          .factors()
          .answered(metadata.model(), metadata.estimatedTokens(), completed.promptTokens());
    }
  }

  private static Duration backoff(Outcome.ReturnReason reason) {
    return reason == Outcome.ReturnReason.STALE ? STALE_BACKOFF : Duration.ZERO;
  }

  private void rejected(
      TrackedRequest tracked, LeaseRef lease, Outcome.Rejected rejected, TimePoint now) {
    TrackedRequest after = tracked.after(lease, AttemptEnd.of(rejected), now);
    String message = shown(rejected.message());
    if (rejected.written()) {
      transitions.answeredWithError(after, lease, rejected.error(), message, now);
    } else {
      transitions.refuse(after, rejected.error(), message);
    }
  }

  private void failed(
      TrackedRequest tracked,
      LeaseRef lease,
      Outcome.Failed failed,
      History history,
      TimePoint now) {
    RetryPolicy retries = parts.retries();
    TrackedRequest counted =
        tracked.in(history, tracked.state()).after(lease, AttemptEnd.of(failed), now);
    if (history.scans().failed() >= MAX_UNREADABLE) {
      transitions.refuse(
          counted,
          ErrorKind.REPLY_UNREADABLE,
          "what is answered already could not be read back %d times; the last time: %s"
              .formatted(history.scans().failed(), shown(failed.message())));
      return;
    }
    if (retries.exhausted(history)) {
      transitions.refuse(
          counted,
          ErrorKind.ENGINE_ERROR,
          "%d attempts failed; the last one on %s: %s"
              .formatted(history.failures(), lease.worker(), shown(failed.message())));
      return;
    }
    long notBefore =
        retries.notBefore(failed, history, tracked.metadata(), now.epochMillis(), parts.random());
    transitions.requeue(counted, lease, notBefore, failed.code().name(), now);
  }

  /** Engines may repeat the whole request in what they say of it. */
  private static String shown(String message) {
    return message.length() > MESSAGE_CHARACTERS
        ? message.substring(0, MESSAGE_CHARACTERS) + "..."
        : message;
  }

  private static boolean endsRequest(Outcome.Event event) {
    return switch (event) {
      case Outcome.Completed ignored -> true;
      case Outcome.Cancelled ignored -> true;
      case Outcome.Expired ignored -> true;
      case Outcome.Rejected ignored -> true;
      case Outcome.Failed ignored -> false;
      case Outcome.Accepted ignored -> false;
      case Outcome.Started ignored -> false;
      case Outcome.Progress ignored -> false;
      case Outcome.Returned ignored -> false;
      case Outcome.Superseded ignored -> false;
    };
  }

  /** Most reports by far only keep a lease alive: the store has nothing to add to that. */
  private static boolean saysNothingNew(Outcome.Event event) {
    return event instanceof Outcome.Accepted || event instanceof Outcome.Progress;
  }

  private static boolean saysAlive(Outcome.Event event) {
    return event instanceof Outcome.Accepted
        || event instanceof Outcome.Started
        || event instanceof Outcome.Progress;
  }
}
