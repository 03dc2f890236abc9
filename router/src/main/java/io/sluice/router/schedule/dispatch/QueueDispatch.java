package io.sluice.router.schedule.dispatch;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Turn;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.NoRoomCache;
import io.sluice.router.schedule.task.PrefixWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * Dispatches the requests of one queue in the order of their turns. No group waits for another. A
 * request that is too long for every worker does not block the shorter ones behind it. Neither does
 * one that the only workers with room have just handed back, or waits for a worker that has its
 * prompt cached, or lacks only a reservation of capacity. Not thread-safe.
 */
final class QueueDispatch {
  /**
   * How many requests of a group are tried behind one that no worker can take. This bounds the work
   * of one call.
   */
  private static final int MOST_PASSED = 500;

  /**
   * A request that was handed back counts as this many tries. After about 16 of them the worker has
   * less room than it seems, and more would be handed back too.
   */
  private static final int HANDED_BACK_COUNTS = 32;

  /**
   * A request whose record must be read from the log counts as this many tries. About 16 requests
   * of a group are read at once, which is more than are dispatched before the reads complete.
   */
  private static final int READ_COUNTS = 32;

  private final PendingQueue queue;
  private final QueueRole role;
  private final RequestStore store;
  private final Supplier<FleetSnapshot> fleet;
  private final PrefixWaits prefixWaits;
  private final FirstTokenLimit firstTokenLimit;
  private final Placement placement;
  private final AssignmentSender sender;
  private final NoRoomCache<Group> noRoom;

  /**
   * How far a group has been tried.
   *
   * @param tooLong no worker can take a request with this many tokens
   * @param withoutRoom one with this many found no room
   */
  private record Cursor(Turn turn, long tooLong, long withoutRoom, int passed)
      implements Comparable<Cursor> {
    static Cursor at(Turn turn) {
      return new Cursor(turn, Long.MAX_VALUE, Long.MAX_VALUE, 0);
    }

    /** Continues behind a request that counted as this many tries. */
    Cursor behind(int tries, Turn next) {
      return new Cursor(next, tooLong, withoutRoom, passed + tries);
    }

    /** Continues with shorter requests behind one that no worker can take. */
    Cursor behindTooLong(Turn next) {
      return new Cursor(next, turn.waiting().contextTokens(), withoutRoom, passed + 1);
    }

    /** Continues with shorter requests behind one that lacks a reservation of capacity. */
    Cursor behindWithoutRoom(Turn next) {
      return new Cursor(next, tooLong, turn.waiting().contextTokens(), passed + 1);
    }

    @Override
    public int compareTo(Cursor other) {
      return turn.compareTo(other.turn());
    }
  }

  QueueDispatch(PendingQueue queue, QueueRole role, DispatchParts parts) {
    this.queue = queue;
    this.role = role;
    this.store = parts.store();
    this.fleet = parts.fleet();
    this.prefixWaits = parts.prefixWaits();
    this.firstTokenLimit = parts.firstTokenLimit();
    this.placement = parts.placement();
    this.sender = parts.sender();
    this.noRoom = new NoRoomCache<>(placement);
  }

  /** Tries the group of a request again at the next call, even if nothing changes. */
  void tryAgain(RequestMetadata metadata) {
    noRoom.forget(Group.of(metadata));
  }

  /**
   * Dispatches the requests that find room.
   *
   * @param changed the workers that changed since the last call and have a free slot
   */
  void send(List<WorkerView> changed, TimePoint now) {
    queue.takeChanged().forEach(noRoom::forget);
    PriorityQueue<Cursor> cursors = new PriorityQueue<>();
    List<Group> groups = new ArrayList<>();
    for (Turn turn : queue.turns(now)) {
      String first = turn.waiting().requestId();
      groups.add(turn.group());
      if (noRoom.isDue(turn.group(), first, changed, now)) {
        noRoom.begin(turn.group(), first, now);
        cursors.add(Cursor.at(turn));
      }
    }
    // Groups that had to yield have missed what changed meanwhile.
    noRoom.retain(groups);
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.remove();
      if (cursor.passed() < MOST_PASSED) {
        tryNext(cursor, now).ifPresent(cursors::add);
      }
    }
    // Clears the changes that the dispatches above caused: all their groups have been tried.
    queue.takeChanged();
  }

  /** Tries one request. Returns where to continue in its group, if anywhere. */
  private Optional<Cursor> tryNext(Cursor cursor, TimePoint now) {
    Turn turn = cursor.turn();
    Optional<Turn> behind = queue.after(turn, now);
    if (turn.waiting().contextTokens() >= cursor.tooLong()) {
      role.tooLong(turn.waiting());
      return behind.map(next -> cursor.behind(1, next));
    }
    TrackedRequest tracked = store.get(turn.waiting().requestId()).orElseThrow();
    RequestMetadata metadata = role.metadata(tracked);
    if (role.isTriedApart(metadata)) {
      return behind.map(next -> cursor.behind(0, next));
    }
    if (turn.waiting().contextTokens() >= cursor.withoutRoom()) {
      return behind.map(next -> cursor.behind(1, next));
    }
    Optional<PrefixWaits.Wait> goingOn =
        prefixWaits.goingOn(metadata.requestId(), fleet.get(), placement::hasSlot, now);
    if (goingOn.isPresent()) {
      return passWaiting(goingOn.get(), cursor, behind);
    }
    OptionalLong firstTokenBy = firstTokenLimit.latest(tracked, now);
    Placement.Result result =
        placement.place(
            metadata,
            firstTokenBy,
            decision -> role.waitsForPrefix(metadata, decision, firstTokenBy, now),
            now);
    role.tried(metadata, result instanceof Placement.Result.NoWorker);
    return switch (result) {
      case Placement.Result.Placed placed -> {
        if (!sender.send(tracked, role, placed, now)) {
          // Nothing signals when the record has been read, so the group is tried again at once.
          noRoom.forget(turn.group());
          yield behind.map(next -> cursor.behind(READ_COUNTS, next));
        }
        yield afterGone(cursor, behind, now);
      }
      case Placement.Result.TooLate tooLate when firstTokenLimit.refuse(tracked, tooLate, now) ->
          afterGone(cursor, behind, now);
      case Placement.Result.TooLate ignored -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield behind.map(next -> cursor.behind(1, next));
      }
      case Placement.Result.PrefixWait ignored ->
          passWaiting(prefixWaits.of(metadata.requestId()), cursor, behind);
      case Placement.Result.NoWorker ignored -> {
        noRoom.foundNoWorker(turn.group(), metadata);
        yield behind.map(cursor::behindTooLong);
      }
      case Placement.Result.HandedBack ignored -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield behind.map(next -> cursor.behind(HANDED_BACK_COUNTS, next));
      }
      case Placement.Result.NoRoom none -> {
        noRoom.foundNone(turn.group(), metadata, now);
        yield switch (role.reserveCapacity(metadata, none.decision(), now)) {
          case RESERVED -> behind.map(next -> cursor.behind(0, next));
          case NONE_LEFT -> behind.map(cursor::behindWithoutRoom);
          case NOT_DUE -> Optional.empty();
        };
      }
    };
  }

  /** The requests behind one that waits for its prefix take the room meanwhile. */
  private Optional<Cursor> passWaiting(
      PrefixWaits.Wait wait, Cursor cursor, Optional<Turn> behind) {
    noRoom.waitsFor(cursor.turn().group(), wait.worker(), wait.untilMillis());
    return behind.map(next -> cursor.behind(1, next));
  }

  /** Returns where to continue after a request that no longer waits. */
  private Optional<Cursor> afterGone(Cursor cursor, Optional<Turn> behind, TimePoint now) {
    return cursor.passed() == 0
        ? nextIn(cursor.turn().group(), now)
        : behind.map(next -> cursor.behind(0, next));
  }

  private Optional<Cursor> nextIn(Group group, TimePoint now) {
    Optional<Turn> next = queue.first(group, now);
    noRoom.forget(group);
    next.ifPresent(turn -> noRoom.begin(group, turn.waiting().requestId(), now));
    return next.map(Cursor::at);
  }
}
