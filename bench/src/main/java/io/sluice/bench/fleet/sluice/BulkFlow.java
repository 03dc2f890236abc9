package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkOpenings;
import io.sluice.router.queue.RequestKind;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The bulk requests of a run. They are parked in a separate topic until the router's own allowance
 * admits them, and may be evicted again. The work that evictions cost is counted here.
 */
public final class BulkFlow {
  private final BulkAllowance allowance;
  private final Function<FleetRequest, RequestKind> kinds;
  private final Consumer<FleetRequest> entrance;
  private final Queue<FleetRequest> topic = new ArrayDeque<>();
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

  /** Admits as many requests as the allowance permits now. */
  void feed() {
    BulkOpenings openings = allowance.openings();
    while (!topic.isEmpty() && openings.tryTake(kinds.apply(topic.element()), 0)) {
      entrance.accept(topic.remove());
    }
  }

  /** Called when a worker evicted a request. */
  void evicted() {
    evictions++;
  }

  /** Counts the kept tokens that are computed again, except for those found in the cache. */
  void resumed(int tokens) {
    recomputedTokens += tokens;
  }

  /** Called when an engine generated an output token of a bulk request. */
  void token() {
    outputTokens++;
  }

  /** How often a worker evicted a request. */
  public int evictions() {
    return evictions;
  }

  /** How many output tokens engines have generated. */
  public long outputTokens() {
    return outputTokens;
  }

  /** How many tokens of prompts and kept answers were computed again. */
  public long recomputedTokens() {
    return recomputedTokens;
  }

  /** How many requests are still parked. */
  public int backlog() {
    return topic.size();
  }
}
