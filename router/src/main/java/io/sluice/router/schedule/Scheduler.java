package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.schedule.RequestState.Ended;
import io.sluice.router.schedule.RequestState.Ending;
import io.sluice.router.schedule.RequestState.History;
import io.sluice.router.schedule.RequestState.Leased;
import io.sluice.router.schedule.RequestState.Pending;
import io.sluice.router.schedule.RequestState.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The life of the requests of one partition, as a state machine over their stored values ({@link
 * RequestState}). Every entry point applies one event and then sends what can be sent. It knows
 * time only by the {@link Now} it is given, acts only through {@link Effects}, and is not
 * thread-safe: one task, one thread.
 *
 * <p>The router owns the truth about leases: a request is with the worker that its stored value
 * names, and with no other. Queues, timers, the watch over leases and the reservations are in
 * memory and rebuilt by {@link #recover}.
 */
public final class Scheduler {
  /** How much later than the worker the router itself ends a request whose deadline has passed. */
  static final Duration DEADLINE_BACKSTOP = Duration.ofSeconds(2);

  /**
   * A task that did not run for so long does not trust what it missed: half the session time-out.
   */
  static final Duration PAUSE = Duration.ofSeconds(3);

  static final Duration TERMINAL_RETRY = Duration.ofSeconds(1);
  static final Duration SUPERSEDED_BACKOFF = Duration.ofMillis(200);
  static final Duration OVERLOADED_RETRY_AFTER = Duration.ofSeconds(1);

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final Supplier<FleetSnapshot> fleet;
  private final PendingQueue queue;
  private final Placement placement;
  private final Dispatcher dispatcher;
  private final Timers timers = new Timers();
  private final LeaseWatch watch;
  private final Transitions transitions;
  private final EarlyCancels earlyCancels = new EarlyCancels();
  private final Set<String> unwritten = new HashSet<>();
  private long tickedNanos;

  /** A scheduler over one task's store; {@link #recover} is to be called before anything else. */
  public Scheduler(RequestStore store, Effects effects, SchedulerParts parts, Now now) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.fleet = parts.fleet();
    this.queue = new PendingQueue(parts.backlog());
    this.placement = new Placement(parts.policy(), parts.ledger(), parts.topics(), parts.random());
    this.watch = new LeaseWatch(now.nanos());
    this.transitions = new Transitions(store, effects, parts, queue, timers, watch, placement);
    this.dispatcher = new Dispatcher(store, queue, placement, transitions, parts);
    this.tickedNanos = now.nanos();
  }

  /** Rebuilds what is in memory from the store, and sends again what may not have been sent. */
  public void recover(Now now) {
    List<TrackedRequest> endings = new ArrayList<>();
    store.forEach(
        tracked -> {
          RequestFacts facts = tracked.facts();
          timers.set(facts.deadlineEpochMillis(), facts.requestId());
          switch (tracked.state()) {
            case Pending pending -> timers.set(pending.notBeforeMillis(), facts.requestId());
            case Leased leased -> transitions.restoreLease(facts, leased.lease(), now);
            case Started started -> transitions.restoreLease(facts, started.lease(), now);
            case Ending ignored -> endings.add(tracked);
            case Ended ended -> timers.set(ended.forgetAtMillis(), facts.requestId());
          }
        });
    endings.forEach(tracked -> transitions.writeTerminal(tracked, (Ending) tracked.state()));
  }

  /** A record has come on a request topic. */
  public void request(Reading reading, RequestBody body, Now now) {
    RequestFacts facts = reading.facts();
    Optional<TrackedRequest> known = store.get(facts.requestId());
    if (known.isPresent()) {
      repeated(facts, known.get().facts());
      return;
    }
    parts.listener().received(facts);
    store.putBody(facts.requestId(), body);
    TrackedRequest tracked =
        new TrackedRequest(facts, History.NONE, new Pending(0, Optional.empty()));
    switch (reading) {
      case Reading.Refused bad -> transitions.refuse(tracked, bad.kind(), bad.message());
      case Reading.Accepted ignored -> admit(tracked, now);
    }
  }

  private void repeated(RequestFacts repeat, RequestFacts original) {
    boolean redelivered = repeat.source().equals(original.source());
    if (!redelivered && !repeat.replyTo().equals(original.replyTo())) {
      effects.pointer(original.requestId(), repeat.replyTo(), original.replyTo());
    }
    parts.listener().repeated(repeat);
  }

  private void admit(TrackedRequest tracked, Now now) {
    RequestFacts facts = tracked.facts();
    if (earlyCancels.take(facts.requestId())) {
      transitions.refuse(tracked, ErrorKind.CANCELLED, "the request was cancelled");
    } else if (facts.deadlineEpochMillis() <= now.epochMillis()) {
      transitions.refuse(
          tracked, ErrorKind.DEADLINE_EXCEEDED, "the deadline had passed when it arrived");
    } else if (parts.backlog().isFull()) {
      transitions.refuse(
          tracked,
          ErrorKind.OVERLOADED,
          "too many requests wait already; try again later",
          OptionalLong.of(OVERLOADED_RETRY_AFTER.toMillis()));
    } else {
      store.put(tracked);
      queue.add(facts);
      timers.set(facts.deadlineEpochMillis(), facts.requestId());
      dispatcher.sendWaiting(now);
    }
  }

  /** A worker has reported. */
  public void outcome(Outcome outcome, Now now) {
    LeaseRef lease = outcome.lease();
    Optional<TrackedRequest> known = store.get(lease.requestId());
    if (known.isPresent() && known.get().state().held().equals(Optional.of(lease))) {
      apply(known.get(), lease, outcome.event(), now);
    } else if (known.isPresent() && isAnswerOfLastLease(known.get(), outcome)) {
      transitions.finish(known.get(), now);
    } else if (known.isPresent() && isAhead(known.get(), lease)) {
      apply(transitions.adopt(known.get(), lease, now), lease, outcome.event(), now);
    } else if (saysAlive(outcome.event())) {
      effects.revoke(lease);
    }
    dispatcher.sendWaiting(now);
  }

  /** The lease was ended for its silence, but it had answered before anybody else was asked. */
  private static boolean isAnswerOfLastLease(TrackedRequest tracked, Outcome outcome) {
    return tracked.state() instanceof Pending pending
        && pending.last().equals(Optional.of(outcome.lease()))
        && endsRequest(outcome.event());
  }

  /** Another router, or this one before a crash, gave a lease that our store has not heard of. */
  private static boolean isAhead(TrackedRequest tracked, LeaseRef lease) {
    return tracked.isOpen() && lease.attempt() > tracked.history().attempts();
  }

  private void apply(TrackedRequest tracked, LeaseRef lease, Outcome.Event event, Now now) {
    String requestId = lease.requestId();
    History history = tracked.history();
    watch.heard(requestId, now.nanos());
    switch (event) {
      case Outcome.Accepted ignored -> {}
      case Outcome.Progress ignored -> {}
      case Outcome.Started started ->
          transitions.save(tracked.in(history.started(started.offset()), new Started(lease)));
      case Outcome.Completed ignored -> transitions.finish(tracked, now);
      case Outcome.Cancelled ignored -> transitions.finish(tracked, now);
      case Outcome.Expired ignored -> transitions.finish(tracked, now);
      case Outcome.Returned returned -> {
        placement.handedBack(requestId, lease.worker(), fleet.get());
        TrackedRequest known = tracked.in(history.reached(returned.tokens()), tracked.state());
        transitions.requeue(known, lease, now.epochMillis(), returned.reason().name());
      }
      case Outcome.Superseded ignored ->
          transitions.requeue(
              tracked, lease, now.epochMillis() + SUPERSEDED_BACKOFF.toMillis(), "SUPERSEDED");
      case Outcome.Failed failed -> failed(tracked, lease, failed, now);
    }
  }

  private void failed(TrackedRequest tracked, LeaseRef lease, Outcome.Failed failed, Now now) {
    if (!failed.retriable()) {
      transitions.deadLetter(tracked, ErrorKind.INVALID_REQUEST, failed.message());
      transitions.finish(tracked, now);
      return;
    }
    History history = tracked.history().reached(failed.tokens()).failed();
    TrackedRequest counted = tracked.in(history, tracked.state());
    if (parts.retries().exhausted(history)) {
      transitions.refuse(
          counted,
          ErrorKind.ENGINE_ERROR,
          "%d attempts failed; the last one on %s: %s"
              .formatted(history.failures(), lease.worker(), failed.message()));
      return;
    }
    placement.handedBack(lease.requestId(), lease.worker(), fleet.get());
    long notBefore =
        parts
            .retries()
            .notBefore(failed, history, tracked.facts(), now.epochMillis(), parts.random());
    transitions.requeue(counted, lease, notBefore, failed.code());
  }

  /** A caller wants something of a request. */
  public void control(Control control, Now now) {
    Optional<TrackedRequest> known = store.get(control.requestId());
    switch (control) {
      case Control.Cancel cancel when known.isEmpty() -> earlyCancels.add(cancel.requestId());
      case Control.Cancel ignored -> known.ifPresent(this::cancel);
      case Control.Extend extend ->
          known.ifPresent(tracked -> amend(tracked, tracked.facts().until(extend), now));
      case Control.Reprioritise change ->
          known.ifPresent(tracked -> amend(tracked, tracked.facts().as(change), now));
    }
    dispatcher.sendWaiting(now);
  }

  private void cancel(TrackedRequest tracked) {
    if (tracked.isOpen()) {
      transitions.refuse(tracked, ErrorKind.CANCELLED, "the request was cancelled");
    }
  }

  /** Changes what a waiting request asks for; one that runs keeps what its worker was told. */
  private void amend(TrackedRequest tracked, RequestFacts facts, Now now) {
    if (tracked.state() instanceof Pending pending) {
      queue.remove(tracked.facts());
      transitions.save(new TrackedRequest(facts, tracked.history(), pending));
      timers.set(facts.deadlineEpochMillis(), facts.requestId());
      remind(facts.requestId(), now);
    }
  }

  /** The terminal record that {@link Effects#terminal} was to write is in the log. */
  public void terminalWritten(String requestId, Now now) {
    store
        .get(requestId)
        .filter(tracked -> tracked.state() instanceof Ending)
        .ifPresent(tracked -> transitions.finish(tracked, now));
  }

  /** The terminal record could not be written in the producer's time: it is sent once more. */
  public void terminalNotWritten(String requestId, Now now) {
    unwritten.add(requestId);
    timers.set(now.epochMillis() + TERMINAL_RETRY.toMillis(), requestId);
  }

  /** Time has passed; to be called every few tens of milliseconds. */
  public void tick(Now now) {
    if (now.nanos() - tickedNanos > PAUSE.toNanos()) {
      watch.pausedUntil(now.nanos());
    }
    tickedNanos = now.nanos();
    watch.lost(fleet.get(), now.nanos()).forEach(lost -> lose(lost, now));
    timers.due(now.epochMillis()).forEach(requestId -> remind(requestId, now));
    dispatcher.sendWaiting(now);
  }

  private void lose(LeaseWatch.Lost lost, Now now) {
    effects.revoke(lost.lease());
    placement.handedBack(lost.requestId(), lost.lease().worker(), fleet.get());
    store
        .get(lost.requestId())
        .ifPresentOrElse(
            tracked ->
                transitions.requeue(
                    tracked, lost.lease(), now.epochMillis(), lost.verdict().name()),
            () -> watch.end(lost.requestId()));
  }

  private void remind(String requestId, Now now) {
    TrackedRequest tracked = store.get(requestId).orElse(null);
    if (tracked == null) {
      return;
    }
    long deadline = tracked.facts().deadlineEpochMillis();
    switch (tracked.state()) {
      case Pending ignored when deadline <= now.epochMillis() ->
          transitions.refuse(
              tracked, ErrorKind.DEADLINE_EXCEEDED, "no worker could take it in time");
      case Pending pending when pending.notBeforeMillis() <= now.epochMillis() ->
          queue.add(tracked.facts());
      case Pending pending -> timers.set(pending.notBeforeMillis(), requestId);
      case Leased ignored -> remindRunning(tracked, now);
      case Started ignored -> remindRunning(tracked, now);
      case Ending ending when unwritten.remove(requestId) ->
          transitions.writeTerminal(tracked, ending);
      case Ending ignored -> {}
      case Ended ended when ended.forgetAtMillis() <= now.epochMillis() -> store.forget(requestId);
      case Ended ended -> timers.set(ended.forgetAtMillis(), requestId);
    }
  }

  /** The worker ends it at its deadline; should it fail to, the router does. */
  private void remindRunning(TrackedRequest tracked, Now now) {
    long backstop = tracked.facts().deadlineEpochMillis() + DEADLINE_BACKSTOP.toMillis();
    if (backstop <= now.epochMillis()) {
      transitions.refuse(
          tracked, ErrorKind.DEADLINE_EXCEEDED, "the deadline passed while it was running");
    } else {
      timers.set(backstop, tracked.facts().requestId());
    }
  }

  /** Takes this task's share out of what it shares with other tasks. */
  public void close() {
    queue.clear();
    store.forEach(
        tracked ->
            tracked
                .state()
                .held()
                .ifPresent(
                    lease ->
                        parts.ledger().release(lease.worker(), tracked.facts().contextTokens())));
  }

  private static boolean endsRequest(Outcome.Event event) {
    return switch (event) {
      case Outcome.Completed ignored -> true;
      case Outcome.Cancelled ignored -> true;
      case Outcome.Expired ignored -> true;
      case Outcome.Failed failed -> !failed.retriable();
      case Outcome.Accepted ignored -> false;
      case Outcome.Started ignored -> false;
      case Outcome.Progress ignored -> false;
      case Outcome.Returned ignored -> false;
      case Outcome.Superseded ignored -> false;
    };
  }

  private static boolean saysAlive(Outcome.Event event) {
    return event instanceof Outcome.Accepted
        || event instanceof Outcome.Started
        || event instanceof Outcome.Progress;
  }
}
