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
import io.sluice.router.schedule.dispatch.FirstTokenLimit;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Applies the passing of time to requests: a backoff or deadline ends, an end record is written
 * again, or an ended request is forgotten. Not thread-safe.
 */
final class TimerHandler {
  /**
   * The worker ends a request at its deadline. The router ends it this much later if the worker did
   * not.
   */
  private static final Duration DEADLINE_BACKSTOP = Duration.ofSeconds(2);

  private final RequestStore store;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final Endings endings;
  private final ModelAvailabilityCheck availability;
  private final Duration longestDeadline;
  private final FirstTokenLimit firstTokenLimit;
  private final EndRetries retries = new EndRetries();

  /** The requests at which the router's own code fails, and how often it has done so in a row. */
  private final Map<String, Integer> failures = new HashMap<>();

  TimerHandler(
      RequestStore store,
      TaskMemory memory,
      Transitions transitions,
      ModelAvailabilityCheck availability,
      FirstTokenLimit firstTokenLimit,
      Duration longestDeadline) {
    this.store = store;
    this.memory = memory;
    this.transitions = transitions;
    this.endings = transitions.endings();
    this.availability = availability;
    this.longestDeadline = longestDeadline;
    this.firstTokenLimit = firstTokenLimit;
  }

  /**
   * Handles all requests whose timers have fired, and forgets ended and unreadable ones that are
   * old enough. A request at which the router's own code fails is tried again, with a growing
   * backoff; the first such failure is thrown at the end.
   */
  void due(TimePoint now) {
    RuntimeException failed = null;
    for (String requestId : memory.timers().due(now.epochMillis())) {
      try {
        onTimer(requestId, now);
        failures.remove(requestId);
      } catch (RuntimeException e) {
        failed = failed == null ? e : failed;
        later(requestId, now);
      }
    }
    memory.ended().forgetDue(now);
    memory.unreadable().forgetDue(now);
    if (failed != null) {
      throw failed;
    }
  }

  private void later(String requestId, TimePoint now) {
    int tries = failures.merge(requestId, 1, Integer::sum);
    long backoff = EndRetries.backoff(tries - 1).toMillis();
    memory.timers().set(now.epochMillis() + backoff, requestId);
    if (store.get(requestId).orElse(null) instanceof TrackedRequest(_, _, Ending ending)) {
      ending.unwritten().forEach(record -> endNotWritten(requestId, record, now));
    }
  }

  /** A record could not be written. It is written again later. */
  void endNotWritten(String requestId, EndRecord record, TimePoint now) {
    memory.timers().set(retries.failed(requestId, record, now), requestId);
  }

  /** All end records of a request are written. */
  void over(String requestId) {
    retries.forget(requestId);
  }

  /** Handles one request. A timer that fires too early or too often has no effect. */
  void onTimer(String requestId, TimePoint now) {
    Set<EndRecord> again = retries.due(requestId, now);
    store.get(requestId).ifPresent(tracked -> onTimer(tracked, again, now));
  }

  private void onTimer(TrackedRequest tracked, Set<EndRecord> unwrittenEnd, TimePoint now) {
    String requestId = tracked.metadata().requestId();
    long deadline = tracked.metadata().deadlineEpochMillis();
    switch (tracked.state()) {
      case Pending ignored when deadline <= now.epochMillis() ->
          endings.refuse(
              tracked,
              ErrorKind.DEADLINE_EXCEEDED,
              "no worker could take the request before its deadline; raise timeout-ms, or add workers (./sluice top)");
      case Pending ignored when firstTokenLimit.refuseOverdue(tracked, now) -> {}
      case Pending pending when availability.refuse(tracked, pending, now) -> {}
      case Pending pending when pending.notBeforeMillis() <= now.epochMillis() ->
          transitions.waits(tracked, now);
      case Pending pending -> memory.timers().set(pending.notBeforeMillis(), requestId);
      case Leased ignored -> onTimerWhileRunning(tracked, now);
      case Started ignored -> onTimerWhileRunning(tracked, now);
      case Ending ending -> onTimerWhileEnding(tracked, ending, unwrittenEnd, now);
    }
  }

  /**
   * Gives up on an end record once it has been unwritten for so long that no client asks for it any
   * more.
   */
  private void onTimerWhileEnding(
      TrackedRequest tracked, Ending ending, Set<EndRecord> unwrittenEnd, TimePoint now) {
    if (unwrittenEnd.isEmpty()) {
      return;
    }
    if (isForgotten(tracked.metadata(), now)) {
      endings.finish(tracked, now);
      over(tracked.requestId());
    } else {
      List<EndRecord> again = ending.unwritten().stream().filter(unwrittenEnd::contains).toList();
      endings.write(tracked, ending, again);
    }
  }

  private boolean isForgotten(RequestMetadata metadata, TimePoint now) {
    long latest = metadata.appendTimeMillis() + longestDeadline.toMillis();
    long deadline = Math.min(metadata.deadlineEpochMillis(), latest);
    return deadline + EndedRequest.REMEMBERED.toMillis() <= now.epochMillis();
  }

  /** Normally the worker ends the request at its deadline. This is the backstop. */
  private void onTimerWhileRunning(TrackedRequest tracked, TimePoint now) {
    long backstop = tracked.metadata().deadlineEpochMillis() + DEADLINE_BACKSTOP.toMillis();
    if (backstop <= now.epochMillis()) {
      AttemptEnd end = AttemptEnd.of(AttemptEnd.Finding.NOT_ENDED_BY_WORKER);
      TrackedRequest expired =
          tracked
              .state()
              .activeLease()
              .map(lease -> tracked.after(lease, end, now))
              .orElse(tracked);
      endings.refuse(
          expired,
          ErrorKind.DEADLINE_EXCEEDED,
          "the deadline passed while the request was running; raise timeout-ms or lower max_tokens");
    } else {
      long deadline = tracked.metadata().deadlineEpochMillis();
      long next = deadline > now.epochMillis() ? deadline : backstop;
      memory.timers().set(next, tracked.metadata().requestId());
    }
  }
}
