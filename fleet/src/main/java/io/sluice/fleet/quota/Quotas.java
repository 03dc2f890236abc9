package io.sluice.fleet.quota;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

/**
 * The limits of owners, shared by all gateways of a pool: requests and tokens a minute, and places
 * for requests that run at the same time. Each stage fails after a bounded time if the limits
 * cannot be reached. A failed call may have had its effect, or may have it later; repeated calls
 * for one lease have the effect of one. Thread-safe.
 */
public interface Quotas {
  /**
   * The limits of an owner; 0 stands for no limit.
   *
   * @param owner whose buckets they are
   * @param places requests at the same time
   */
  record Limits(String owner, long requestsPerMinute, long tokensPerMinute, int places) {}

  /** What a reservation was refused for. */
  enum Lacking {
    /** It was granted. */
    NOTHING,
    REQUESTS,
    TOKENS,
    PLACES,
    /** Its lease was settled before. */
    SETTLED
  }

  /**
   * The result of a reservation.
   *
   * @param waitMillis when a refused one would be granted, if no other request reserves
   * @param requestsLeft in the bucket
   * @param tokensLeft in the bucket; below 0 if requests used more than they had reserved
   */
  record Reservation(Lacking lacking, long waitMillis, long requestsLeft, long tokensLeft) {
    public boolean isGranted() {
      return lacking == Lacking.NOTHING;
    }
  }

  /**
   * A lease and its owner.
   *
   * @param lease identifies a reservation of the owner
   */
  record Lease(String owner, String lease) {}

  /**
   * Takes a request, its tokens and a place, all or none. A repeat for the same lease returns the
   * first result.
   *
   * @param lease identifies the reservation; chosen by the caller
   * @param life after this time the place is free again, unless the lease is renewed
   */
  CompletionStage<Reservation> reserve(Limits limits, long tokens, String lease, Duration life);

  /**
   * Gives the place back, and tokens. Has no effect if the lease is settled or was refused. If it
   * is not reserved yet, its reservation will have no effect.
   *
   * @param tokens how many of the reserved tokens were not used; below 0 if more were used
   */
  CompletionStage<Void> settle(Limits limits, long tokens, String lease);

  /**
   * Keeps the places of leases for another life. Has no effect on those that are settled.
   *
   * @param life from now
   */
  CompletionStage<Void> renew(Collection<Lease> leases, Duration life);
}
