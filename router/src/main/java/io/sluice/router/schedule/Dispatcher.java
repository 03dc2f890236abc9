package io.sluice.router.schedule;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Turn;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * Dispatches the waiting requests of one task to workers that have room. Requests go in the order
 * of their turns, and no group waits for another. A request that is too long for every worker does
 * not block the shorter ones behind it. Neither does one that was just rejected by the only workers
 * with room, or waits for a worker that has its prompt cached. A request goes to its fallback model
 * if the workers of its own model have no room and it has waited long enough. A request that has
 * waited long for room may reserve capacity ({@link TaskReservations#tryReserveCapacity}). The
 * requests behind it then go to other workers.
 */
final class Dispatcher {
  /**
   * How many requests of a group are tried behind one that no worker can take. This bounds the work
   * of one call.
   */
  private static final int MOST_PASSED = 500;

  /**
   * A rejected request counts as this many tries. After about 16 rejections the worker has less
   * room than it seems, and more attempts would be rejected too.
   */
  private static final int REJECTED_COUNTS = 32;

  /**
   * A request whose record must be read from the log counts as this many tries. About 16 requests
   * of a group are read at once, which is more than are dispatched before the reads complete.
   */
  private static final int READ_COUNTS = 32;

  private final RequestStore store;
  private final PendingQueue queue;
  private final PendingQueue overdue;
  private final TaskReservations reservations;
  private final Supplier<FleetSnapshot> fleet;
  private final WorkerChanges changes;
  private final NoRoomCache<Group> inTurn = new NoRoomCache<>();
  private final NoRoomCache<Group> onFallback = new NoRoomCache<>();
  private final NoRoomCache<String> withCapacity = new NoRoomCache<>();
  private final Placement placement;
  private final RequestSender sender;
  private final FirstTokenLimit firstTokenLimit;
  private final PrefixWaits prefixWaits;
  private final Unservable unservable;
  private final Charges charges;

  /** How far a group has been tried. */
  private record Cursor(Turn turn, long tooLong, int passed) implements Comparable<Cursor> {
    static Cursor at(Turn turn) {
      return new Cursor(turn, Long.MAX_VALUE, 0);
    }

    /** Goes on behind a request that counted as this many tries. */
    Cursor behind(int tries, Turn next) {
      return new Cursor(next, tooLong, passed + tries);
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
      FirstTokenLimit firstTokenLimit,
      Transitions transitions) {
    this.store = store;
    this.queue = memory.queue();
    this.overdue = memory.fallbacks().overdue();
    this.reservations = memory.reservations();
    this.prefixWaits = memory.prefixWaits();
    this.unservable = memory.unservable();
    this.charges = memory.charges();
    this.fleet = parts.fleet();
    this.changes = new WorkerChanges(parts.ledger());
    this.placement = placement;
    this.sender = new RequestSender(parts, placement, transitions);
    this.firstTokenLimit = firstTokenLimit;
  }

  /** Dispatches after time has passed: any worker may have changed. */
  void sendWaiting(TimePoint now) {
    // While nothing waits, changes are left to be reported later.
    boolean waits = !queue.isEmpty() || !overdue.isEmpty();
    send(waits ? changes.sinceLastTime(fleet.get()) : List.of(), now);
  }

  /** Dispatches after the set of waiting requests may have changed. */
  void sendChanged(TimePoint now) {
    send(List.of(), now);
  }

  /** Dispatches after one worker may have room. */
  void sendTo(String worker, TimePoint now) {
    send(fleet.get().worker(worker).stream().toList(), now);
  }

  private void send(List<WorkerView> changed, TimePoint now) {
    // In a full fleet most workers have no free slot. It is cheaper to find that out once than once
    // per group.
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

  /**
   * These requests go last: other requests cannot take the reserved room, except those of a higher
   * priority.
   */
  private void sendWithCapacity(String requestId, List<WorkerView> changed, TimePoint now) {
    TrackedRequest tracked = store.get(requestId).orElseThrow();
    if (queue.mustYield(tracked.metadata())
        || !withCapacity.isDue(requestId, requestId, changed, takes(now), now)) {
      return;
    }
    withCapacity.begin(requestId, requestId, now);
    // What has capacity reserved has waited long enough.
    switch (placement.place(
        tracked.metadata(), firstTokenLimit.latest(tracked, now), decision -> false, now)) {
      case Placement.Result.Placed placed -> {
        withCapacity.forget(requestId);
        var _ = send(queue, tracked, placed, now);
      }
      case Placement.Result.TooLate tooLate -> {
        if (firstTokenLimit.refuse(tracked, tooLate, now)) {
          withCapacity.forget(requestId);
        } else {
          withCapacity.foundNone(requestId, tracked.metadata(), now);
        }
      }
      case Placement.Result none -> {
        withCapacity.foundNone(requestId, tracked.metadata(), now);
        reservations.keepCapacity(requestId, none.decision());
        if (!reservations.hasCapacityReserved(requestId)) {
          // In its turn the request may reserve capacity at another worker.
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
    // Groups that had to yield have missed what changed meanwhile.
    noRoom.retain(groups);
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.remove();
      if (cursor.passed() < MOST_PASSED) {
        tryNext(from, noRoom, cursor, now).ifPresent(cursors::add);
      }
    }
    // Clears the changes that the dispatches above caused: all their groups have been tried.
    from.takeChanged();
  }

  /** Tries one request. Returns where to continue in its group, if anywhere. */
  private Optional<Cursor> tryNext(
      PendingQueue from, NoRoomCache<Group> noRoom, Cursor cursor, TimePoint now) {
    Turn turn = cursor.turn();
    Optional<Turn> behind = from.after(turn, now);
    if (turn.waiting().contextTokens() >= cursor.tooLong()) {
      tooLong(from, turn);
      return behind.map(next -> cursor.behind(1, next));
    }
    TrackedRequest tracked = store.get(turn.waiting().requestId()).orElseThrow();
    RequestMetadata metadata = metadataIn(from, tracked);
    if (from == queue && reservations.hasCapacityReserved(metadata.requestId())) {
      return behind.map(next -> cursor.behind(0, next));
    }
    Optional<PrefixWaits.Wait> goingOn =
        prefixWaits.goingOn(
            metadata.requestId(),
            fleet.get(),
            view -> placement.wouldTake(view, Optional.empty(), now),
            now);
    if (goingOn.isPresent()) {
      return passWaiting(goingOn.get(), noRoom, cursor, behind);
    }
    OptionalLong firstTokenBy = firstTokenLimit.latest(tracked, now);
    // With a fallback model, a worker without the prefix is better than another model.
    boolean mayWait = from == queue && metadata.fallbackModel().isEmpty();
    Placement.Result result =
        placement.place(
            metadata,
            firstTokenBy,
            decision -> mayWait && prefixWaits.waits(metadata, decision, firstTokenBy, now),
            now);
    if (from == queue) {
      unservable.found(metadata, result instanceof Placement.Result.NoWorker);
    }
    return switch (result) {
      case Placement.Result.Placed placed -> {
        if (!send(from, tracked, placed, now)) {
          // Nothing signals when the record has been read, so the group is tried again at once.
          noRoom.forget(turn.group());
          yield behind.map(next -> cursor.behind(READ_COUNTS, next));
        }
        yield afterGone(from, noRoom, cursor, behind, now);
      }
      case Placement.Result.TooLate tooLate when firstTokenLimit.refuse(tracked, tooLate, now) ->
          afterGone(from, noRoom, cursor, behind, now);
      case Placement.Result.TooLate ignored -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield behind.map(next -> cursor.behind(1, next));
      }
      case Placement.Result.PrefixWait ignored ->
          passWaiting(prefixWaits.of(metadata.requestId()), noRoom, cursor, behind);
      case Placement.Result.NoWorker ignored -> {
        noRoom.foundNoWorker(turn.group(), metadata);
        yield behind.map(
            next -> new Cursor(next, turn.waiting().contextTokens(), cursor.passed() + 1));
      }
      case Placement.Result.Rejected ignored -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield behind.map(next -> cursor.behind(REJECTED_COUNTS, next));
      }
      case Placement.Result.NoRoom none -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield from == queue && reservations.tryReserveCapacity(metadata, none.decision(), now)
            ? behind.map(next -> cursor.behind(0, next))
            : Optional.empty();
      }
    };
  }

  /** No known worker can take a request that is as long as one that none can take. */
  private void tooLong(PendingQueue from, Turn turn) {
    if (from == queue && unservable.isNew(turn.waiting())) {
      TrackedRequest tracked = store.get(turn.waiting().requestId()).orElseThrow();
      prefixWaits.forget(tracked.requestId());
      unservable.found(tracked.metadata(), true);
    }
  }

  /** The requests behind one that waits for its prefix take the room meanwhile. */
  private static Optional<Cursor> passWaiting(
      PrefixWaits.Wait wait, NoRoomCache<Group> noRoom, Cursor cursor, Optional<Turn> behind) {
    noRoom.waitsFor(cursor.turn().group(), wait.worker(), wait.untilMillis());
    return behind.map(next -> cursor.behind(1, next));
  }

  /** Where to continue after a request that no longer waits. */
  private static Optional<Cursor> afterGone(
      PendingQueue from,
      NoRoomCache<Group> noRoom,
      Cursor cursor,
      Optional<Turn> behind,
      TimePoint now) {
    return cursor.passed() == 0
        ? nextIn(cursor.turn().group(), from, noRoom, now)
        : behind.map(next -> cursor.behind(0, next));
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

  /** Returns whether the request no longer waits. */
  private boolean send(
      PendingQueue from, TrackedRequest tracked, Placement.Result.Placed placed, TimePoint now) {
    RequestMetadata metadata = metadataIn(from, tracked);
    return sender.send(
        tracked,
        metadata,
        from == overdue ? Optional.of(metadata.model()) : Optional.empty(),
        placed,
        () -> charge(from, tracked, metadata, now),
        now);
  }

  /** A retry is not charged to the tenant a second time. */
  private void charge(
      PendingQueue from, TrackedRequest tracked, RequestMetadata metadata, TimePoint now) {
    if (tracked.history().attempts() > 0) {
      return;
    }
    if (from == queue) {
      charges.dispatched(metadata, now);
    } else {
      from.served(metadata, now);
    }
  }
}
