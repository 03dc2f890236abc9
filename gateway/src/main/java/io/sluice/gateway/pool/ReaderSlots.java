package io.sluice.gateway.pool;

import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.TenantShares;
import jakarta.inject.Singleton;

/**
 * Bounds how many clients read stored answers at a time: as many as requests can be in progress,
 * and half of that for each tenant; and as many retries of a tenant as requests can be in progress,
 * since all of another gateway's may come here. Thread-safe.
 */
@Singleton
public final class ReaderSlots {
  private final TenantShares slots;
  private final TenantShares retries;

  ReaderSlots(GatewayConfig config) {
    this.slots = new TenantShares(config.maxConcurrent());
    this.retries = new TenantShares(2L * config.maxConcurrent());
  }

  /**
   * Takes a slot for a reader of a tenant.
   *
   * @throws ApiException if there is none
   */
  public TenantShares.Share take(String tenant) {
    return take(tenant, slots);
  }

  /**
   * Takes a slot for a retry, which reads the answer to an earlier try.
   *
   * @throws ApiException if there is none
   */
  TenantShares.Share takeForRetry(String tenant) {
    return take(tenant, retries);
  }

  private static TenantShares.Share take(String tenant, TenantShares from) {
    return from.tryTake(tenant, 1)
        .orElseThrow(
            () -> new ApiException(ApiError.overloaded("the gateway has too many readers")));
  }
}
