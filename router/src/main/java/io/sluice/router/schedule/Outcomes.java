package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode.Charge;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.time.Duration;
import java.util.Optional;

/**
 * Applies a worker's outcome to its request. Three kinds of outcomes count: those of the lease in
 * the store, the answer of the previous lease if no other worker was asked since, and those of a
 * later attempt, which another router has given. A worker that reports any other lease as running
 * is told to stop.
 *
 * <p>The answer of an earlier lease does not count once a later one was given. Readers ignore that
 * answer if the claim of the later lease is before it in the log, and outcomes do not tell that
 * order, because claims are not reported. Ending the request and revoking the later lease could
 * leave readers without an end. Waiting costs one read of the reply log and no generation: the
 * later worker folds the log up to its own claim, so it sees every answer before the claim and
 * reports it as its own. An answer after the claim does not count. Either way the request ends once
 * in the log, and the report of the stored lease ends it here.
 *
 * <p>Not thread-safe.
 */
final class Outcomes {
  /**
   * The delay before another worker is asked. It would probably find the same: another worker has
   * the request, or no time is left.
   */
  private static final Duration STALE_BACKOFF = Duration.ofMillis(200);

  /** With growing pauses between the attempts this takes about two minutes. */
  private static final int MAX_UNREADABLE = 12;

  private static final int MESSAGE_CHARACTERS = 1_000;

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final Endings endings;
  private final WorkerDeaths deaths;
  private final RecentRevocations revocations = new RecentRevocations();

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
    this.endings = transitions.endings();
    this.deaths = deaths;
  }

  /** Returns whether a request or the room of a worker may have changed. */
  boolean outcome(Outcome outcome, TimePoint now) {
    parts.localBreakers().heard(outcome, now);
    memory.watch().reported(outcome.lease(), now.nanos());
    LeaseRef lease = outcome.lease();
    if (saysNothingNew(outcome) && memory.watch().isCurrent(lease)) {
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
    } else if (saysAlive(outcome.event())
        && !isUnreadable(lease.requestId())
        && revocations.isDue(lease, now.nanos())) {
      effects.revoke(lease);
    }
    return true;
  }

  /** The worker's answer is the only one that such a request can get, so it may continue. */
  private boolean isUnreadable(String requestId) {
    return store.find(requestId).filter(UnreadableRequest.class::isInstance).isPresent();
  }

  /**
   * The lease ended because its worker was silent, but the worker answered before another one was
   * asked.
   */
  private static boolean isAnswerOfLastLease(TrackedRequest tracked, Outcome outcome) {
    return tracked.state() instanceof Pending pending
        && pending.last().equals(Optional.of(outcome.lease()))
        && endsRequest(outcome.event());
  }

  /**
   * Two routers gave the same attempt; one had lost the task without knowing. Readers follow
   * whichever wrote first, and this router does not know which. So neither attempt counts.
   */
  private static boolean isTwin(TrackedRequest tracked, LeaseRef lease) {
    return tracked
        .state()
        .activeLease()
        .filter(
            active -> active.attempt() == lease.attempt() && !active.lease().equals(lease.lease()))
        .isPresent();
  }

  /** Another router, or this one before a crash, gave a lease that is not in the store. */
  private static boolean isAhead(TrackedRequest tracked, LeaseRef lease) {
    return tracked.isOpen() && lease.attempt() > tracked.history().attempts();
  }

  private void apply(TrackedRequest tracked, LeaseRef lease, Outcome.Event event, TimePoint now) {
    String requestId = lease.requestId();
    memory.watch().heard(requestId, now.nanos());
    switch (event) {
      case Outcome.Accepted ignored -> {}
      case Outcome.Progress progress -> deaths.reached(tracked, progress.tokens());
      case Outcome.Started started -> {
        memory.reservations().started(requestId, started.cachedTokens(), now);
        memory.suspects().cleared(requestId);
        History history = tracked.history().started(lease.attempt(), started.offset()).proven();
        transitions.save(tracked.in(history, tracked.withWorker().start()));
      }
      case Outcome.Completed completed -> {
        memory.reservations().answered(requestId, completed.cachedTokens());
        parts.backlog().answered(tracked.metadata(), now);
        memory.charges().completed(tracked.metadata(), completed);
        learn(tracked, lease, completed);
        endings.finish(tracked, now);
      }
      case Outcome.Cancelled ignored -> endings.finish(tracked, now);
      case Outcome.Expired ignored ->
          endings.answeredWithError(
              tracked.after(lease, AttemptEnd.of(Reason.EXPIRED, ""), now),
              lease,
              ErrorKind.DEADLINE_EXCEEDED,
              "the deadline passed while worker %s had the request; raise timeout-ms or lower max_tokens"
                  .formatted(lease.worker()),
              now);
      case Outcome.Returned returned -> {
        memory.recentHandBacks().add(lease, parts.fleet().get(), now);
        History history = tracked.history().returned(returned);
        transitions.requeue(
            tracked
                .in(history, tracked.state())
                .after(lease, AttemptEnd.of(Reason.RETURNED, returned.reason().code()), now),
            lease,
            now.epochMillis() + backoff(returned.reason()).toMillis(),
            returned.reason().code(),
            now);
      }
      case Outcome.Superseded ignored ->
          transitions.requeue(
              tracked.after(lease, AttemptEnd.of(Reason.SUPERSEDED, ""), now),
              lease,
              now.epochMillis() + STALE_BACKOFF.toMillis(),
              "superseded",
              now);
      case Outcome.Rejected rejected -> rejected(tracked, lease, rejected, now);
      case Outcome.Failed failed -> {
        memory.recentHandBacks().add(lease, parts.fleet().get(), now);
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

  /**
   * Learns the length of the prompt, if the requested model reported it for exactly this prompt.
   */
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
    memory.charges().rejected(tracked.requestId());
    TrackedRequest after = tracked.after(lease, AttemptEnd.of(rejected), now);
    String message = shown(rejected.message());
    if (rejected.written()) {
      endings.answeredWithError(after, lease, rejected.error(), message, now);
    } else {
      endings.refuse(after, rejected.error(), message);
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
      endings.refuse(
          counted,
          Charge.SCAN.error(),
          "the answer so far could not be read back %d times; check Kafka, then send the request again; the last attempt failed with: %s"
              .formatted(history.scans().failed(), shown(failed.message())));
      return;
    }
    if (retries.exhausted(history)) {
      endings.refuse(
          counted,
          Charge.FAILURE.error(),
          "%d attempts failed; check worker %s and its engine, where the last one failed: %s"
              .formatted(history.failures(), lease.worker(), shown(failed.message())));
      return;
    }
    long notBefore =
        retries.notBefore(failed, history, tracked.metadata(), now.epochMillis(), parts.random());
    transitions.requeue(counted, lease, notBefore, failed.code().code(), now);
  }

  /** Engines may repeat the whole request in their error message. */
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

  /** Most reports only keep a lease alive. They do not change the store. */
  private boolean saysNothingNew(Outcome outcome) {
    return switch (outcome.event()) {
      case Outcome.Accepted _ -> true;
      case Outcome.Progress _ -> !memory.suspects().contains(outcome.lease().requestId());
      default -> false;
    };
  }

  private static boolean saysAlive(Outcome.Event event) {
    return event instanceof Outcome.Accepted
        || event instanceof Outcome.Started
        || event instanceof Outcome.Progress;
  }
}
