package io.sluice.gateway.quota;

import io.sluice.common.time.RepeatingThread;
import io.sluice.fleet.quota.Quotas;
import io.sluice.fleet.quota.Quotas.Lease;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The places of this gateway's requests. They are renewed as long as the requests run, however long
 * that is, and free half a minute after the gateway died. Thread-safe.
 */
@Singleton
final class Leases {
  /** How long a place is taken that is not renewed. */
  static final Duration LIFE = Duration.ofSeconds(30);

  private static final Duration RENEWAL = Duration.ofSeconds(10);

  /** Redis serves no other client during a script. */
  private static final int MOST_AT_ONCE = 1_000;

  private static final Logger log = LoggerFactory.getLogger(Leases.class);

  private final Quotas quotas;
  private final Set<Lease> held = ConcurrentHashMap.newKeySet();
  private final RepeatingThread renewals = new RepeatingThread("sluice-leases");

  Leases(Quotas quotas) {
    this.quotas = quotas;
    var _ = renewals.repeat(RENEWAL, RENEWAL, this::renew);
  }

  /** Begins to renew a lease. */
  void hold(Lease lease) {
    held.add(lease);
  }

  /** Renews a lease no more. */
  void release(Lease lease) {
    held.remove(lease);
  }

  /** Renews all leases. */
  void renew() {
    List<Lease> all = new ArrayList<>(held);
    for (int from = 0; from < all.size(); from += MOST_AT_ONCE) {
      renew(all.subList(from, Math.min(all.size(), from + MOST_AT_ONCE)));
    }
  }

  private void renew(List<Lease> leases) {
    var _ =
        quotas
            .renew(leases, LIFE)
            .exceptionally(
                e -> {
                  log.warn(
                      "event=quotas_not_renewed requests={} reason=\"{}\"",
                      leases.size(),
                      e.getMessage());
                  return null;
                });
  }

  @PreDestroy
  void close() {
    renewals.close();
  }
}
