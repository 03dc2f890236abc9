package io.sluice.router.bulk;

import io.sluice.router.bulk.ParkedRequest.Stage;
import io.sluice.router.bulk.ParkedRequest.Turn;
import io.sluice.router.queue.RequestKind;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The order in which parked requests enter, over all partitions: those of which only the end is to
 * be told, those whose time runs out, and then, where there is room, models in turn. What finds no
 * room is passed over. Every step is O(log requests) but for what finds no room. Not thread-safe.
 */
final class ParkedRequests {
  private static final int SPARSE = 64;

  /** Those that were taken for other reasons are dropped when they come up, or are many. */
  private final PriorityQueue<ParkedRequest> bySlack = new PriorityQueue<>(ParkedRequest.ORDER);

  /** Those that end at once stand here, and in no line. */
  private final PriorityQueue<ParkedRequest> ending = new PriorityQueue<>(ParkedRequest.BY_PLACE);

  /** Those that are to be changed stand here, and in no line. */
  private final PriorityQueue<ParkedRequest> amended = new PriorityQueue<>(ParkedRequest.BY_PLACE);

  /** Whose turn is next comes first. */
  private final LinkedHashMap<String, ParkedModel> models = new LinkedHashMap<>();

  private int waiting;

  /** The line in which a request is to stand. */
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
  }

  /** Has those end at once of which the deadline has passed. May look at all that wait. */
  void endLate(long nowEpochMillis) {
    dropThoseTaken();
    boolean isAnyDeadlineCritical =
        !bySlack.isEmpty() && bySlack.element().slackEndsMillis() <= nowEpochMillis;
    if (isAnyDeadlineCritical || !amended.isEmpty()) {
      turn(request -> request.deadlineMillis() <= nowEpochMillis ? Turn.AT_ONCE : Turn.IN_LINE);
    }
  }

  /** Moves what waits to a turn that comes sooner. Looks at all that is in line, once. */
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

  /** How many wait. */
  int size() {
    return waiting;
  }

  /** Takes out a request that ends at once. */
  Optional<ParkedRequest> takeEnding() {
    Optional<ParkedRequest> next = Optional.ofNullable(ending.poll());
    next.ifPresent(this::left);
    return next;
  }

  /** Takes out a request that is to be changed, or can be put off no longer. */
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

  /** Takes out a request for which there is room, and takes up that. */
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

  /** Takes out what stands in partitions which are no longer this router's. */
  void remove(Set<Integer> partitions) {
    Predicate<ParkedRequest> isLost = request -> partitions.contains(request.partition());
    int before = ending.size() + amended.size();
    ending.removeIf(isLost);
    amended.removeIf(isLost);
    waiting -= before - ending.size() - amended.size() + removeFromLines(isLost);
  }

  /** Returns how many there were. */
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
    String model = request.line().kind().model();
    models.computeIfPresent(model, (any, parked) -> parked.isEmpty() ? null : parked);
    if (bySlack.size() > 2 * waiting + SPARSE) {
      bySlack.removeIf(known -> !known.isInLine());
    }
  }
}
