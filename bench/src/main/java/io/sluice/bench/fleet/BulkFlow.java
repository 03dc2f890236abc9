package io.sluice.bench.fleet;

import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkOpenings;
import io.sluice.router.queue.RequestKind;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The bulk requests of a run: they wait in a topic of their own until the router's own allowance
 * lets them enter, and may be evicted again, which costs work that is counted here.
 */
final class BulkFlow {
  private final BulkAllowance allowance;
  private final Function<FleetRequest, RequestKind> kinds;
  private final Consumer<FleetRequest> entrance;
  private final Queue<FleetRequest> topic = new ArrayDeque<>();
  private final Map<Integer, Integer> kept = new HashMap<>();
  private int evictions;
  private long outputTokens;
  private long recomputedTokens;

  BulkFlow(
      BulkAllowance allowance,
      Function<FleetRequest, RequestKind> kinds,
      Consumer<FleetRequest> entrance) {
    this.allowance = allowance;
    this.kinds = kinds;
    this.entrance = entrance;
  }

  void add(FleetRequest request) {
    topic.add(request);
  }

  /** Lets in as many as may enter now. */
  void feed() {
    BulkOpenings openings = allowance.openings();
    while (!topic.isEmpty() && openings.tryTake(kinds.apply(topic.element()), 0)) {
      entrance.accept(topic.remove());
    }
  }

  /** A worker made room: so many tokens of the answer are kept. */
  void evicted(int request, int tokens) {
    kept.put(request, tokens);
    evictions++;
  }

  /** What was kept was computed once more, but for what was cached. */
  void resumed(int tokens) {
    recomputedTokens += tokens;
  }

  /** An engine made an output token of a bulk request. */
  void token() {
    outputTokens++;
  }

  /** How many tokens of a request's answer are kept; 0 if it was never evicted. */
  int keptTokens(int request) {
    return kept.getOrDefault(request, 0);
  }

  int evictions() {
    return evictions;
  }

  long outputTokens() {
    return outputTokens;
  }

  long recomputedTokens() {
    return recomputedTokens;
  }

  /** How many have not entered yet. */
  int backlog() {
    return topic.size();
  }
}
