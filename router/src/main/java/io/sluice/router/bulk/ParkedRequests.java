package io.sluice.router.bulk;

import io.sluice.router.bulk.ParkedRequest.Stage;
import io.sluice.router.schedule.RequestKind;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * The order in which parked requests enter, over all partitions: those whose time runs out before
 * all others, and then, where there is room, models in turn. What finds no room is passed over.
 * Every step is O(log requests) but for what finds no room. Not thread-safe.
 */
final class ParkedRequests {
  private static final int SPARSE = 64;

  /** Those that were taken for other reasons are dropped when they come up, or are many. */
  private final PriorityQueue<ParkedRequest> bySlack = new PriorityQueue<>(ParkedRequest.ORDER);

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
    models.computeIfAbsent(request.line().kind().model(), any -> new ParkedModel()).add(request);
    bySlack.add(request);
    waiting++;
  }

  /** How many wait. */
  int size() {
    return waiting;
  }

  /** Takes out a request that can be put off no longer. */
  Optional<ParkedRequest> takeHurried(long nowEpochMillis) {
    return next(request -> request.slackEndsMillis() <= nowEpochMillis);
  }

  /** Takes out a request of which the deadline has passed. */
  Optional<ParkedRequest> takeLate(long nowEpochMillis) {
    return next(request -> request.deadlineMillis() <= nowEpochMillis);
  }

  private Optional<ParkedRequest> next(Predicate<ParkedRequest> isDue) {
    while (!bySlack.isEmpty() && !bySlack.element().isWaiting()) {
      bySlack.remove();
    }
    if (bySlack.isEmpty() || !isDue.test(bySlack.element())) {
      return Optional.empty();
    }
    ParkedRequest next = bySlack.remove();
    model(next).remove(next);
    left(next);
    return Optional.of(next);
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

  /** Takes out what stands in a partition, which is no longer this router's. */
  void remove(int partition) {
    for (ParkedModel model : models.values()) {
      waiting -= model.removeIf(request -> request.partition() == partition);
    }
    models.values().removeIf(ParkedModel::isEmpty);
    bySlack.removeIf(request -> request.partition() == partition);
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
      bySlack.removeIf(known -> !known.isWaiting());
    }
  }
}
