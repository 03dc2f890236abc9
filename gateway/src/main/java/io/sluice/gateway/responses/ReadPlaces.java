package io.sluice.gateway.responses;

import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.TenantShares;
import java.time.Duration;

/** Limits concurrent reads; a tenant gets at most half of them. Thread-safe. */
final class ReadPlaces {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final TenantShares places;

  ReadPlaces(int most) {
    this.places = new TenantShares(most);
  }

  /**
   * Waits for a place.
   *
   * @throws ApiException with status 429 if there is none in time
   */
  TenantShares.Share take(String tenant) throws InterruptedException {
    return places
        .take(tenant, 1, LONGEST_WAIT)
        .orElseThrow(
            () -> new ApiException(ApiError.overloaded("the gateway reads too many responses")));
  }
}
