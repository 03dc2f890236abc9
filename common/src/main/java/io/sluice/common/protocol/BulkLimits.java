package io.sluice.common.protocol;

/**
 * How much of a worker bulk requests may use. Routers admit bulk up to the lower limits, and
 * workers evict it above the higher ones. The distance between them absorbs changes that the other
 * side does not know of yet.
 */
public final class BulkLimits {
  /**
   * Bulk is sent to a worker whose KV cache usage, including the request's own prompt, stays below
   * this share.
   */
  public static final double ENTER_BELOW_KV_USAGE = 0.70;

  /**
   * Bulk is evicted above this share of the KV cache, well before the breaker closes the worker to
   * all requests.
   */
  public static final double EVICT_FROM_KV_USAGE = 0.80;

  private static final double SLOTS_FOR_BULK = 0.8;
  private static final double CROWDED = 0.9;

  private BulkLimits() {}

  /**
   * Returns the number of running requests, of any priority, below which bulk is sent to a worker;
   * at least 1.
   */
  public static int slotsForBulk(int slots) {
    return Math.max(1, (int) (SLOTS_FOR_BULK * slots));
  }

  /** Returns the number of running requests above which bulk is evicted. */
  public static int crowdedSlots(int slots) {
    return Math.max(slotsForBulk(slots), (int) (CROWDED * slots));
  }
}
