package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestState.Started;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What passing time does to a request: its backoff or its deadline is over, its end is to be
 * written again, or it is forgotten. Not thread-safe.
 */
final class TimerHandler {
  /** How much later than the worker the router itself ends a request whose deadline has passed. */
  private static final Duration DEADLINE_BACKSTOP = Duration.ofSeconds(2);

  private final RequestStore store;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final ModelAvailabilityCheck availability;
  private final Duration longestDeadline;
  private final EndRetries retries = new EndRetries();

  TimerHandler(
      RequestStore store,
      TaskMemory memory,
      Transitions transitions,
      ModelAvailabilityCheck availability,
      Duration longestDeadline) {
    this.store = store;
    this.memory = memory;
    this.transitions = transitions;
    this.availability = availability;
    this.longestDeadline = longestDeadline;
  }

  /** Looks at all requests whose time has come, and forgets those that are over for long. */
  void due(TimePoint now) {
    memory.timers().due(now.epochMillis()).forEach(requestId -> onTimer(requestId, now));
    memory.ended().forgetDue(now);
  }

  /** A record could not be written; it is to be sent once more, later. */
  void endNotWritten(String requestId, EndRecord record, TimePoint now) {
    memory.timers().set(retries.failed(requestId, record, now), requestId);
  }

  /** All is written of a request's end. */
  void over(String requestId) {
    retries.forget(requestId);
  }

  /** Looks at one request: whoever is reminded too early or too often does nothing. */
  void onTimer(String requestId, TimePoint now) {
    Set<EndRecord> again = retries.due(requestId, now);
    store.get(requestId).ifPresent(tracked -> onTimer(tracked, again, now));
  }

  private void onTimer(TrackedRequest tracked, Set<EndRecord> unwrittenEnd, TimePoint now) {
    String requestId = tracked.metadata().requestId();
    long deadline = tracked.metadata().deadlineEpochMillis();
    switch (tracked.state()) {
      case Pending ignored when deadline <= now.epochMillis() ->
          transitions.refuse(
              tracked, ErrorKind.DEADLINE_EXCEEDED, "no worker could take it in time");
      case Pending pending when availability.refuse(tracked, pending, now) -> {}
      case Pending pending when pending.notBeforeMillis() <= now.epochMillis() ->
          transitions.waits(tracked, now);
      case Pending pending -> memory.timers().set(pending.notBeforeMillis(), requestId);
      case Leased ignored -> onTimerWhileRunning(tracked, now);
      case Started ignored -> onTimerWhileRunning(tracked, now);
      case Ending ending -> onTimerWhileEnding(tracked, ending, unwrittenEnd, now);
    }
  }

  /** What cannot be written for so long that nobody asks for it any more never will be. */
  private void onTimerWhileEnding(
      TrackedRequest tracked, Ending ending, Set<EndRecord> unwrittenEnd, TimePoint now) {
    if (unwrittenEnd.isEmpty()) {
      return;
    }
    if (isForgotten(tracked.metadata(), now)) {
      transitions.finish(tracked, now);
      over(tracked.requestId());
    } else {
      List<EndRecord> again = ending.unwritten().stream().filter(unwrittenEnd::contains).toList();
      transitions.writeEnd(tracked, ending, again);
    }
  }

  private boolean isForgotten(RequestMetadata metadata, TimePoint now) {
    long latest = metadata.appendTimeMillis() + longestDeadline.toMillis();
    long deadline = Math.min(metadata.deadlineEpochMillis(), latest);
    return deadline + EndedRequest.REMEMBERED.toMillis() <= now.epochMillis();
  }

  /** The worker ends it at its deadline; should it fail to, the router does. */
  private void onTimerWhileRunning(TrackedRequest tracked, TimePoint now) {
    long backstop = tracked.metadata().deadlineEpochMillis() + DEADLINE_BACKSTOP.toMillis();
    if (backstop <= now.epochMillis()) {
      AttemptEnd end = AttemptEnd.of(AttemptEnd.Reason.EXPIRED, "not_ended_by_worker");
      TrackedRequest expired =
          tracked
              .state()
              .activeLease()
              .map(lease -> tracked.after(lease, end, now))
              .orElse(tracked);
      transitions.refuse(
          expired, ErrorKind.DEADLINE_EXCEEDED, "the deadline passed while it was running");
    } else {
      memory.timers().set(backstop, tracked.metadata().requestId());
    }
  }
}
