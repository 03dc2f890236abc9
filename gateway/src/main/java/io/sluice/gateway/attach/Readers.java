package io.sluice.gateway.attach;

import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.ReaderSlots;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Opens readers of answers, as many at a time as there are slots. Thread-safe. */
@Singleton
final class Readers {
  private final Pool pool;
  private final ReaderSlots slots;

  Readers(Pool pool, ReaderSlots slots) {
    this.pool = pool;
    this.slots = slots;
  }

  /**
   * Opens a reader of an answer of the caller's tenant.
   *
   * @param after the position that the client has reached; empty for the beginning
   * @throws ApiException if there are too many readers, or the gateway is about to stop
   */
  AnswerReader open(
      String requestId, Caller caller, Rendering rendering, Optional<Position> after) {
    TenantShares.Share slot = slots.take(caller.tenant());
    try {
      return new AnswerReader(
          pool.attach(requestId, caller), new AnswerItems(rendering, after), slot::close);
    } catch (ApiException e) {
      slot.close();
      throw e;
    }
  }
}
