package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.schedule.PendingQueue.Turn;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Sends one task's waiting requests to the workers that have room for them, and leaves the rest
 * waiting: in the order of their turns, and no group waits for another. A request that is too long
 * for every worker there is does not hold up the shorter ones behind it, nor does one that was just
 * given back by who has room. What its own model's workers have no room for, and has waited long
 * enough, goes to its fallback model. What has waited long for room may hold a worker ({@link
 * Holds}); then those behind it go to the others.
 */
final class Dispatcher {
  /**
   * How many requests of a group are looked at behind one that no worker can take, or take again so
   * soon; bounds the work of one call.
   */
  private static final int LOOK_PAST = 500;

  /**
   * One that was given back counts as so many of these: where some sixteen came back, their worker
   * has less room than it seems, and more would only come back too.
   */
  private static final int GIVEN_BACK_COUNTS = 32;

  private final RequestStore store;
  private final PendingQueue queue;
  private final PendingQueue overdue;
  private final SchedulerListener listener;
  private final Reservations reservations;
  private final LeaseWatch watch;
  private final Placement placement;
  private final Transitions transitions;

  /** How far a group has been looked through. */
  private record Cursor(Turn turn, long tooLong, int passed) implements Comparable<Cursor> {
    static Cursor at(Turn turn) {
      return new Cursor(turn, Long.MAX_VALUE, 0);
    }

    @Override
    public int compareTo(Cursor other) {
      return turn.compareTo(other.turn());
    }
  }

  Dispatcher(
      RequestStore store,
      SchedulerParts parts,
      TaskMemory memory,
      Placement placement,
      Transitions transitions) {
    this.store = store;
    this.listener = parts.listener();
    this.queue = memory.queue();
    this.overdue = memory.fallbacks().overdue();
    this.reservations = memory.reservations();
    this.watch = memory.watch();
    this.placement = placement;
    this.transitions = transitions;
  }

  /** Sends what can be sent; nothing while the task has to catch up with what workers said. */
  void sendWaiting(Now now) {
    if (watch.isBehind(now.nanos())) {
      return;
    }
    sendWaiting(queue, now);
    sendWaiting(overdue, now);
    reservations.holding().forEach(requestId -> sendHeld(requestId, now));
  }

  /** After the others, which cannot take the room that it waits for; a higher priority may. */
  private void sendHeld(String requestId, Now now) {
    TrackedRequest tracked = store.get(requestId).orElseThrow();
    if (queue.mustYield(tracked.facts())) {
      return;
    }
    switch (placement.place(tracked.facts(), now)) {
      case Placement.Place.At at -> send(queue, tracked, at, now);
      case Placement.Place none -> reservations.keepHold(requestId, none.decision());
    }
  }

  private void sendWaiting(PendingQueue from, Now now) {
    PriorityQueue<Cursor> cursors = new PriorityQueue<>();
    from.turns(now).forEach(turn -> cursors.add(Cursor.at(turn)));
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.remove();
      if (cursor.passed() < LOOK_PAST) {
        look(from, cursor, now).ifPresent(cursors::add);
      }
    }
  }

  /** Looks at one request; returns where to look next in its group, if anywhere. */
  private Optional<Cursor> look(PendingQueue from, Cursor cursor, Now now) {
    Turn turn = cursor.turn();
    Optional<Turn> behind = from.after(turn, now);
    if (turn.waiting().contextTokens() >= cursor.tooLong()) {
      return behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed() + 1));
    }
    TrackedRequest tracked = store.get(turn.waiting().requestId()).orElseThrow();
    RequestFacts facts = factsIn(from, tracked);
    if (from == queue && reservations.isHolding(facts.requestId())) {
      return behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()));
    }
    return switch (placement.place(facts, now)) {
      case Placement.Place.At at -> {
        send(from, tracked, at, now);
        yield cursor.passed() == 0
            ? from.first(turn.group(), now).map(Cursor::at)
            : behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()));
      }
      case Placement.Place.NoWorker ignored ->
          behind.map(next -> new Cursor(next, turn.waiting().contextTokens(), cursor.passed() + 1));
      case Placement.Place.GivenBack ignored ->
          behind.map(
              next -> new Cursor(next, cursor.tooLong(), cursor.passed() + GIVEN_BACK_COUNTS));
      case Placement.Place.NoRoom none ->
          from == queue && reservations.tryHold(facts, none.decision(), now)
              ? behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()))
              : Optional.empty();
    };
  }

  private RequestFacts factsIn(PendingQueue from, TrackedRequest tracked) {
    return from == overdue ? tracked.facts().onFallback().orElse(tracked.facts()) : tracked.facts();
  }

  private void send(PendingQueue from, TrackedRequest tracked, Placement.Place.At at, Now now) {
    RequestFacts facts = factsIn(from, tracked);
    // Another attempt at what was served before is not served twice.
    if (tracked.history().attempts() == 0) {
      from.served(facts);
    }
    String requestId = facts.requestId();
    Optional<RequestBody> body = store.body(requestId);
    if (body.isPresent()) {
      Optional<String> fallbackModel =
          from == overdue ? Optional.of(facts.model()) : Optional.empty();
      RequestBody corrected = correct(body.get(), facts, at.worker());
      transitions.lease(tracked, corrected, at.decision(), fallbackModel, now);
    } else {
      reservations.release(requestId);
      transitions.refuse(
          tracked, ErrorKind.ENGINE_ERROR, "the request's body is lost; send it again");
    }
  }

  /** Leaves out what the engine would refuse, if the request can do without. */
  private RequestBody correct(RequestBody body, RequestFacts facts, WorkerSnapshot worker) {
    if (facts.classification().needs().isEmpty()) {
      return body;
    }
    Set<String> refused = EngineOptions.correctable(facts.classification().needs());
    refused.retainAll(worker.traits().refuses());
    if (refused.isEmpty()) {
      return body;
    }
    listener.corrected(facts, refused);
    return new RequestBody(body.headers(), EngineOptions.without(body.value(), refused));
  }
}
