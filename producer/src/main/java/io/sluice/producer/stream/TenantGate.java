package io.sluice.producer.stream;

import io.sluice.common.reply.ReplyHeaders;
import java.util.Optional;

/**
 * Hides the answer of another tenant from a reader: for it, that answer's records do not exist. The
 * first record that tells a tenant decides for the whole answer. Not thread-safe.
 */
final class TenantGate {
  private final Optional<String> tenant;
  private Optional<String> owner = Optional.empty();

  /**
   * @param tenant whose answers the reader may read; empty for all
   */
  TenantGate(Optional<String> tenant) {
    this.tenant = tenant;
  }

  /** Returns whether the reader may know of the next record of the request. */
  boolean admits(ReplyHeaders record) {
    if (tenant.isEmpty()) {
      return true;
    }
    if (owner.isEmpty()) {
      owner = record.owner();
    }
    return owner.equals(tenant);
  }
}
