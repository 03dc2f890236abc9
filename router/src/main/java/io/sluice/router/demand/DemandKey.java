package io.sluice.router.demand;

import io.sluice.common.protocol.Priority;
import java.util.List;

/**
 * By what demand is counted. A request that several tiers may serve counts once, for the tier that
 * suits it best.
 *
 * @param model the requested model
 * @param tier the first of the request's tiers, or {@link #NO_TIER}
 * @param bulk whether it is bulk; urgent and interactive requests are of one kind
 */
public record DemandKey(String model, String tier, boolean bulk) {
  /** The tier of requests that any tier may serve. */
  public static final String NO_TIER = "none";

  /** Returns the key of a request with these tiers, the best one first. */
  public static DemandKey of(String model, List<String> tiers, Priority priority) {
    return new DemandKey(
        model, tiers.isEmpty() ? NO_TIER : tiers.getFirst(), priority == Priority.BULK);
  }
}
