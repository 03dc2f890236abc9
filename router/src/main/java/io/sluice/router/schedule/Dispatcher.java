package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Turn;
import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * Sends one task's waiting requests to the workers that have room for them, and leaves the rest
 * waiting: in the order of their turns, and no group waits for another. A request that is too long
 * for every worker there is does not hold up the shorter ones behind it, nor does one that was just
 * given back by who has room. What its own model's workers have no room for, and has waited long
 * enough, goes to its fallback model. What has waited long for room may hold a worker ({@link
 * Reservations#tryHold}); then those behind it go to the others.
 */
final class Dispatcher {
  /**
   * How many requests of a group are looked at behind one that no worker can take, or take again so
   * soon; bounds the work of one call.
   */
  private static final int MOST_PASSED = 500;

  /**
   * One that was given back counts as so many of these: where some sixteen came back, their worker
   * has less room than it seems, and more would only come back too.
   */
  private static final int REJECTED_COUNTS = 32;

  /**
   * One whose record has to be read from the log counts as so many: some sixteen of a group are
   * read at once, which is more than is sent until they are here.
   */
  private static final int READ_COUNTS = 32;

  private final RequestStore store;
  private final RequestBodies bodies;
  private final PendingQueue queue;
  private final PendingQueue overdue;
  private final SchedulerListener listener;
  private final TaskReservations reservations;
  private final Supplier<FleetSnapshot> fleet;
  private final WorkerChanges changes;
  private final NoRoomCache<Group> inTurn = new NoRoomCache<>();
  private final NoRoomCache<Group> onFallback = new NoRoomCache<>();
  private final NoRoomCache<String> withCapacity = new NoRoomCache<>();
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
    this.bodies = parts.bodies();
    this.listener = parts.listener();
    this.queue = memory.queue();
    this.overdue = memory.fallbacks().overdue();
    this.reservations = memory.reservations();
    this.fleet = parts.fleet();
    this.changes = new WorkerChanges(parts.ledger());
    this.placement = placement;
    this.transitions = transitions;
  }

  /** Sends what can be sent, now that time has passed and any worker may have changed. */
  void sendWaiting(TimePoint now) {
    // What changes while nothing waits is told when something does.
    boolean waits = !queue.isEmpty() || !overdue.isEmpty();
    send(waits ? changes.sinceLastTime(fleet.get()) : List.of(), now);
  }

  /** Sends what can be sent, now that other requests may wait. */
  void sendChanged(TimePoint now) {
    send(List.of(), now);
  }

  /** Sends what can be sent, now that a worker may have room. */
  void sendTo(String worker, TimePoint now) {
    send(fleet.get().worker(worker).stream().toList(), now);
  }

  private void send(List<WorkerView> changed, TimePoint now) {
    // Most of a full fleet have no slot for anybody: once found here, not once for each group.
    List<WorkerView> withSlots =
        changed.stream().filter(view -> placement.wouldTake(view, Optional.empty(), now)).toList();
    sendWaiting(queue, inTurn, withSlots, now);
    sendWaiting(overdue, onFallback, withSlots, now);
    List<String> requests = reservations.withCapacity();
    requests.forEach(requestId -> sendWithCapacity(requestId, withSlots, now));
    withCapacity.retain(requests);
  }

  private BiPredicate<WorkerView, Optional<List<RequestMetadata>>> takes(TimePoint now) {
    return (view, requests) -> placement.wouldTake(view, requests, now);
  }

  /** After the others, which cannot take the room that it waits for; a higher priority may. */
  private void sendWithCapacity(String requestId, List<WorkerView> changed, TimePoint now) {
    TrackedRequest tracked = store.get(requestId).orElseThrow();
    if (queue.mustYield(tracked.metadata())
        || !withCapacity.isDue(requestId, requestId, changed, takes(now), now)) {
      return;
    }
    withCapacity.begin(requestId, requestId, now);
    switch (placement.place(tracked.metadata(), now)) {
      case Placement.Result.Placed placed -> {
        withCapacity.forget(requestId);
        var _ = send(queue, tracked, placed, now);
      }
      case Placement.Result none -> {
        withCapacity.foundNone(requestId, tracked.metadata(), now);
        reservations.keepCapacity(requestId, none.decision());
        if (!reservations.hasCapacityReserved(requestId)) {
          // In its turn, it may hold another worker.
          inTurn.forget(Group.of(tracked.metadata()));
        }
      }
    }
  }

  private void sendWaiting(
      PendingQueue from, NoRoomCache<Group> noRoom, List<WorkerView> changed, TimePoint now) {
    from.takeChanged().forEach(noRoom::forget);
    PriorityQueue<Cursor> cursors = new PriorityQueue<>();
    List<Group> groups = new ArrayList<>();
    for (Turn turn : from.turns(now)) {
      String first = turn.waiting().requestId();
      groups.add(turn.group());
      if (noRoom.isDue(turn.group(), first, changed, takes(now), now)) {
        noRoom.begin(turn.group(), first, now);
        cursors.add(Cursor.at(turn));
      }
    }
    // Who had to let others go first has missed what changed meanwhile.
    noRoom.retain(groups);
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.remove();
      if (cursor.passed() < MOST_PASSED) {
        tryNext(from, noRoom, cursor, now).ifPresent(cursors::add);
      }
    }
    // What was sent just now; all groups that it was taken from have been looked through.
    from.takeChanged();
  }

  /** Looks at one request; returns where to look next in its group, if anywhere. */
  private Optional<Cursor> tryNext(
      PendingQueue from, NoRoomCache<Group> noRoom, Cursor cursor, TimePoint now) {
    Turn turn = cursor.turn();
    Optional<Turn> behind = from.after(turn, now);
    if (turn.waiting().contextTokens() >= cursor.tooLong()) {
      return behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed() + 1));
    }
    TrackedRequest tracked = store.get(turn.waiting().requestId()).orElseThrow();
    RequestMetadata metadata = metadataIn(from, tracked);
    if (from == queue && reservations.hasCapacityReserved(metadata.requestId())) {
      return behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()));
    }
    Placement.Result result = placement.place(metadata, now);
    if (!(result instanceof Placement.Result.Placed)) {
      noRoom.foundNone(turn.group(), metadata, now);
    }
    return switch (result) {
      case Placement.Result.Placed placed -> {
        if (!send(from, tracked, placed, now)) {
          // Nobody tells when its record is here.
          noRoom.forget(turn.group());
          yield behind.map(
              next -> new Cursor(next, cursor.tooLong(), cursor.passed() + READ_COUNTS));
        }
        yield cursor.passed() == 0
            ? nextIn(turn.group(), from, noRoom, now)
            : behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()));
      }
      case Placement.Result.NoWorker ignored ->
          behind.map(next -> new Cursor(next, turn.waiting().contextTokens(), cursor.passed() + 1));
      case Placement.Result.Rejected ignored ->
          behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed() + REJECTED_COUNTS));
      case Placement.Result.NoRoom none ->
          from == queue && reservations.tryReserveCapacity(metadata, none.decision(), now)
              ? behind.map(next -> new Cursor(next, cursor.tooLong(), cursor.passed()))
              : Optional.empty();
    };
  }

  private static Optional<Cursor> nextIn(
      Group group, PendingQueue from, NoRoomCache<Group> noRoom, TimePoint now) {
    Optional<Turn> next = from.first(group, now);
    noRoom.forget(group);
    next.ifPresent(turn -> noRoom.begin(group, turn.waiting().requestId(), now));
    return next.map(Cursor::at);
  }

  private RequestMetadata metadataIn(PendingQueue from, TrackedRequest tracked) {
    return from == overdue
        ? tracked.metadata().onFallback().orElse(tracked.metadata())
        : tracked.metadata();
  }

  /** Whether it waits no more; one whose record is read again keeps its turn, but no slot. */
  private boolean send(
      PendingQueue from, TrackedRequest tracked, Placement.Result.Placed placed, TimePoint now) {
    switch (bodies.find(tracked.metadata().source())) {
      case RequestBodies.Lookup.Cached here -> send(from, tracked, here.body(), placed, now);
      case RequestBodies.Lookup.Loading ignored -> {
        reservations.release(tracked.requestId());
        return false;
      }
      case RequestBodies.Lookup.Gone ignored -> {
        reservations.release(tracked.requestId());
        transitions.refuse(
            tracked, ErrorKind.ENGINE_ERROR, "the request's body is lost; send it again");
      }
    }
    return true;
  }

  private void send(
      PendingQueue from,
      TrackedRequest tracked,
      RequestBody body,
      Placement.Result.Placed placed,
      TimePoint now) {
    RequestMetadata metadata = metadataIn(from, tracked);
    // Another attempt at what was served before is not served twice.
    if (tracked.history().attempts() == 0) {
      from.served(metadata, now);
    }
    Optional<String> fallbackModel =
        from == overdue ? Optional.of(metadata.model()) : Optional.empty();
    RequestBody corrected = correct(body, metadata, placed.worker());
    transitions.lease(tracked, corrected, placed.decision(), fallbackModel, now);
  }

  /** Leaves out what the engine would refuse, if the request can do without. */
  private RequestBody correct(RequestBody body, RequestMetadata metadata, WorkerSnapshot worker) {
    if (metadata.classification().needs().isEmpty()) {
      return body;
    }
    Set<String> refused = EngineOptions.correctable(metadata.classification().needs());
    refused.retainAll(worker.traits().refuses());
    if (refused.isEmpty()) {
      return body;
    }
    listener.corrected(metadata, refused);
    return new RequestBody(body.headers(), EngineOptions.without(body.value(), refused));
  }
}
