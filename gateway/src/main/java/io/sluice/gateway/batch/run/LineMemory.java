package io.sluice.gateway.batch.run;

import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import java.util.List;

/**
 * The memory in which the lines of one batch and their answers are parsed. It is that of all
 * requests of the gateway, but a batch waits longer for it than a client. Thread-safe.
 */
final class LineMemory {
  /** A minute: each waits 10 s. */
  private static final int MOST_TRIES = 6;

  private final JsonMemory memory;
  private final String tenant;

  LineMemory(JsonMemory memory, String tenant) {
    this.memory = memory;
    this.tenant = tenant;
  }

  /**
   * Waits until there is memory for the trees of JSON texts. A caller that has a share must not
   * wait for another one.
   *
   * @param json may be broken
   * @throws ApiException if there is none for a minute; another run of the batch continues then
   */
  TenantShares.Share take(List<byte[]> json) throws InterruptedException {
    byte[][] all = json.toArray(byte[][]::new);
    for (int tries = 1; tries < MOST_TRIES; tries++) {
      try {
        return memory.take(tenant, all);
      } catch (ApiException _) {
        // Other requests have all of it.
      }
    }
    return memory.take(tenant, all);
  }
}
