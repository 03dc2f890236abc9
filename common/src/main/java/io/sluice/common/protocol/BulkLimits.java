package io.sluice.common.protocol;

/**
 * How much of a worker bulk work may take: routers let it in up to these limits, and workers hand
 * it back beyond them. Between the two is room for what changes until either knows.
 */
public final class BulkLimits {
  /** It enters a worker whose KV cache is used below this, its own prompt included. */
  public static final double ENTER_BELOW_KV_USAGE = 0.70;

  /** It is evicted beyond this, long before the breaker closes the worker to everyone. */
  public static final double EVICT_FROM_KV_USAGE = 0.80;

  private static final double SLOTS_FOR_BULK = 0.8;
  private static final double CROWDED = 0.9;

  private BulkLimits() {}

  /** It enters while fewer requests than this run, of whatever priority; at least 1. */
  public static int slotsForBulk(int slots) {
    return Math.max(1, (int) (SLOTS_FOR_BULK * slots));
  }

  /** It is evicted when more requests than this run. */
  public static int crowdedSlots(int slots) {
    return Math.max(slotsForBulk(slots), (int) (CROWDED * slots));
  }
}
