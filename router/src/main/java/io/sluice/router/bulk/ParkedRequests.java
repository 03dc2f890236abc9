package io.sluice.router.bulk;

import io.sluice.common.protocol.Priority;
import io.sluice.router.bulk.ParkedRequest.Stage;
import io.sluice.router.bulk.ParkedRequest.Turn;
import io.sluice.router.demand.DemandKey;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
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
 * Requests without room are skipped. A step looks at the first request of each size of a tenant,
 * and is else O(log requests). Not thread-safe, except for {@link #demand}.
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

  /** Requests that are held up are here and in no line. */
  private final RestingRequests resting = new RestingRequests();

  private final DemandMeter demand = new DemandMeter();
  private int waiting;

  /** Returns the line of a request. */
  BulkLine line(String tenant, BulkSize size) {
    return models.computeIfAbsent(size.kind().model(), any -> new ParkedModel()).line(tenant, size);
  }

  /** A request waits, for the first time or again. */
  void add(ParkedRequest request) {
    request.become(Stage.WAITING);
    request.giveChargeBack();
    place(request);
    waiting++;
    demand.add(demandKey(request), request.contextTokens(), request.deadlineMillis());
  }

  private void place(ParkedRequest request) {
    if (resting.keep(request)) {
      return;
    }
    switch (request.turn()) {
      case AT_ONCE -> ending.add(request);
      case NEXT -> amended.add(request);
      case IN_LINE -> {
        String model = request.line().kind().model();
        models.computeIfAbsent(model, any -> new ParkedModel()).add(request);
        bySlack.add(request);
      }
    }
  }

  /**
   * From now on exactly these places rest: what they hold up counts, and none of it is taken. Scans
   * all waiting requests if more places rest than before.
   */
  void rest(Set<RestingPlace> places) {
    List<ParkedRequest> freed = resting.endAllBut(places);
    Set<RestingPlace> begun = resting.begin(places);
    freed.forEach(this::place);
    if (!begun.isEmpty()) {
      displace(request -> RestingPlace.isAnyOf(begun, request)).forEach(this::place);
    }
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
    resting.all().forEach(request -> request.advance(turns.apply(request)));
  }

  private boolean isToEnd(ParkedRequest request, Function<ParkedRequest, Turn> turns) {
    if (turns.apply(request) != Turn.AT_ONCE) {
      return false;
    }
    request.give(Turn.AT_ONCE);
    ending.add(request);
    return true;
  }

  /** Returns the demand of the parked requests, by model and tier. Thread-safe. */
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

  /** Returns the number of waiting requests. */
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
    Predicate<ParkedRequest> isThere = request -> partitions.contains(request.partition());
    List<ParkedRequest> lost = new ArrayList<>(resting.remove(isThere));
    lost.addAll(displace(isThere));
    lost.forEach(this::uncount);
    waiting -= lost.size();
  }

  /** Takes such requests out of the lines. */
  private List<ParkedRequest> displace(Predicate<ParkedRequest> which) {
    List<ParkedRequest> displaced =
        Stream.of(ending, amended, bySlack)
            .flatMap(Collection::stream)
            .filter(which)
            .filter(ParkedRequest::isWaiting)
            .distinct()
            .toList();
    ending.removeIf(which);
    amended.removeIf(which);
    removeFromLines(which);
    return displaced;
  }

  private void removeFromLines(Predicate<ParkedRequest> which) {
    models.values().forEach(model -> model.removeIf(which));
    models.values().removeIf(ParkedModel::isEmpty);
    bySlack.removeIf(which);
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
