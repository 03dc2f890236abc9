package io.sluice.router.bulk;

import io.sluice.common.protocol.Priority;
import io.sluice.router.bulk.ParkedRequest.Stage;
import io.sluice.router.bulk.ParkedRequest.Turn;
import io.sluice.router.demand.DemandKey;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.queue.RequestKind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The order in which parked requests enter, over all partitions. Requests of which only the end is
 * to be reported go first, then those whose slack ends, then, where there is room, models in turn.
 * Requests without room are skipped. Every step is O(log requests), except for those without room.
 * Not thread-safe, except for {@link #demand}.
 */
final class ParkedRequests {
  private static final int SPARSE = 64;

  /**
   * Entries that were removed for other reasons are dropped when they come up, or when there are
   * many.
   */
  private final PriorityQueue<ParkedRequest> bySlack = new PriorityQueue<>(ParkedRequest.ORDER);

  /** Requests that end at once are here and in no line. */
  private final PriorityQueue<ParkedRequest> ending = new PriorityQueue<>(ParkedRequest.BY_PLACE);

  /** Requests that are to be amended are here and in no line. */
  private final PriorityQueue<ParkedRequest> amended = new PriorityQueue<>(ParkedRequest.BY_PLACE);

  /** The model whose turn is next comes first. */
  private final LinkedHashMap<String, ParkedModel> models = new LinkedHashMap<>();

  private final DemandMeter demand = new DemandMeter();
  private int waiting;

  /** The line of a request. */
  BulkLine line(String tenant, RequestKind kind) {
    return models.computeIfAbsent(kind.model(), any -> new ParkedModel()).line(tenant, kind);
  }

  /** A request waits, for the first time or again. */
  void add(ParkedRequest request) {
    request.become(Stage.WAITING);
    switch (request.turn()) {
      case AT_ONCE -> ending.add(request);
      case NEXT -> amended.add(request);
      case IN_LINE -> {
        String model = request.line().kind().model();
        models.computeIfAbsent(model, any -> new ParkedModel()).add(request);
        bySlack.add(request);
      }
    }
    waiting++;
    demand.add(demandKey(request), request.contextTokens(), request.deadlineMillis());
  }

  /** Ends the requests whose deadline has passed. May scan all waiting requests. */
  void endLate(long nowEpochMillis) {
    dropThoseTaken();
    boolean isAnyDeadlineCritical =
        !bySlack.isEmpty() && bySlack.element().slackEndsMillis() <= nowEpochMillis;
    if (isAnyDeadlineCritical || !amended.isEmpty()) {
      turn(request -> request.deadlineMillis() <= nowEpochMillis ? Turn.AT_ONCE : Turn.IN_LINE);
    }
  }

  /** Moves waiting requests forward to an earlier turn. Scans all lines once. */
  void turn(Function<ParkedRequest, Turn> turns) {
    boolean isAny = false;
    for (ParkedRequest request : bySlack) {
      Turn turn = request.isInLine() ? turns.apply(request) : Turn.IN_LINE;
      if (turn != Turn.IN_LINE) {
        request.give(turn);
        (turn == Turn.AT_ONCE ? ending : amended).add(request);
        isAny = true;
      }
    }
    if (isAny) {
      removeFromLines(request -> request.turn() != Turn.IN_LINE);
    }
    amended.removeIf(request -> isToEnd(request, turns));
  }

  private boolean isToEnd(ParkedRequest request, Function<ParkedRequest, Turn> turns) {
    if (turns.apply(request) != Turn.AT_ONCE) {
      return false;
    }
    request.give(Turn.AT_ONCE);
    ending.add(request);
    return true;
  }

  /** What waits, by model and tier. Thread-safe. */
  DemandMeter demand() {
    return demand;
  }

  private static DemandKey demandKey(ParkedRequest request) {
    RequestKind kind = request.line().kind();
    return DemandKey.of(kind.model(), kind.tiers(), Priority.BULK);
  }

  private void uncount(ParkedRequest request) {
    demand.remove(demandKey(request), request.contextTokens(), request.deadlineMillis());
  }

  /** The number of waiting requests. */
  int size() {
    return waiting;
  }

  /** Removes and returns a request that ends at once. */
  Optional<ParkedRequest> takeEnding() {
    Optional<ParkedRequest> next = Optional.ofNullable(ending.poll());
    next.ifPresent(this::left);
    return next;
  }

  /** Removes and returns a request that is to be amended or can no longer be postponed. */
  Optional<ParkedRequest> takeDeadlineCritical(long nowEpochMillis) {
    if (!amended.isEmpty()) {
      ParkedRequest next = amended.remove();
      left(next);
      return Optional.of(next);
    }
    dropThoseTaken();
    if (bySlack.isEmpty() || bySlack.element().slackEndsMillis() > nowEpochMillis) {
      return Optional.empty();
    }
    ParkedRequest next = bySlack.remove();
    model(next).remove(next);
    left(next);
    return Optional.of(next);
  }

  private void dropThoseTaken() {
    while (!bySlack.isEmpty() && !bySlack.element().isInLine()) {
      bySlack.remove();
    }
  }

  /** Removes and returns a request for which there is room, and takes up that room. */
  Optional<ParkedRequest> take(BulkOpenings openings) {
    for (int asked = models.size(); asked > 0; asked--) {
      var turn = Objects.requireNonNull(models.pollFirstEntry());
      models.putLast(turn.getKey(), turn.getValue());
      Optional<ParkedRequest> next = turn.getValue().take(openings);
      if (next.isPresent()) {
        left(next.get());
        return next;
      }
    }
    return Optional.empty();
  }

  /** Removes the requests in partitions that this router no longer owns. */
  void remove(Set<Integer> partitions) {
    Predicate<ParkedRequest> isLost = request -> partitions.contains(request.partition());
    Stream.of(ending, amended, bySlack)
        .flatMap(Collection::stream)
        .filter(isLost)
        .filter(ParkedRequest::isWaiting)
        .distinct()
        .forEach(this::uncount);
    int before = ending.size() + amended.size();
    ending.removeIf(isLost);
    amended.removeIf(isLost);
    waiting -= before - ending.size() - amended.size() + removeFromLines(isLost);
  }

  /** Returns their number. */
  private int removeFromLines(Predicate<ParkedRequest> which) {
    int removed = 0;
    for (ParkedModel model : models.values()) {
      removed += model.removeIf(which);
    }
    models.values().removeIf(ParkedModel::isEmpty);
    bySlack.removeIf(which);
    return removed;
  }

  private ParkedModel model(ParkedRequest request) {
    return Objects.requireNonNull(models.get(request.line().kind().model()));
  }

  private void left(ParkedRequest request) {
    request.become(Stage.TAKEN);
    waiting--;
    uncount(request);
    String model = request.line().kind().model();
    models.computeIfPresent(model, (any, parked) -> parked.isEmpty() ? null : parked);
    if (bySlack.size() > 2 * waiting + SPARSE) {
      bySlack.removeIf(known -> !known.isInLine());
    }
  }
}
