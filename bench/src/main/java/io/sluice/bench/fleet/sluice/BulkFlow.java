package io.sluice.bench.fleet.sluice;

import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkOpenings;
import io.sluice.router.bulk.BulkTurns;
import io.sluice.router.request.RequestMetadata;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * The bulk requests of a run. They are parked in a separate topic until the router's own allowance
 * admits them, and may be evicted again. The work that evictions cost is counted here.
 */
public final class BulkFlow {
  private final BulkAllowance allowance;
  private final IntConsumer entrance;
  private final BulkTurns turns;
  private int evictions;
  private long outputTokens;
  private long recomputedTokens;

  /**
   * Creates a flow without requests.
   *
   * @param entrance takes the id of a request that enters
   */
  BulkFlow(BulkAllowance allowance, IntConsumer entrance) {
    this.allowance = allowance;
    this.entrance = entrance;
    this.turns = new BulkTurns(allowance);
  }

  void add(RequestMetadata metadata) {
    turns.park(metadata);
  }

  /** Admits as many requests as the allowance permits now. */
  void feed(long nowEpochMillis) {
    BulkOpenings openings = allowance.openings();
    Optional<Long> next = turns.takeOffset(openings, nowEpochMillis);
    while (next.isPresent()) {
      entrance.accept(next.get().intValue());
      next = turns.takeOffset(openings, nowEpochMillis);
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

  /** Returns how often a worker evicted a request. */
  public int evictions() {
    return evictions;
  }

  /** Returns how many output tokens engines have generated. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Returns how many tokens of prompts and kept answers were computed again. */
  public long recomputedTokens() {
    return recomputedTokens;
  }

  /** Returns how many requests are still parked. */
  public int backlog() {
    return turns.size();
  }
}
