package io.sluice.gateway.quota;

import io.sluice.common.time.RepeatingThread;
import io.sluice.fleet.quota.Quotas;
import io.sluice.fleet.quota.Quotas.Lease;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
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

  /** Within the life of a place that was renewed before Redis failed. */
  private static final int TRIES = 4;

  private static final int MOST_UNSETTLED = 10_000;

  /**
   * A settlement that Redis may not have got.
   *
   * @param tries how often it may be sent from now on
   */
  private record Settlement(Lease lease, Supplier<CompletionStage<Void>> call, int tries) {
    Settlement next() {
      return new Settlement(lease, call, tries - 1);
    }
  }

  private final Quotas quotas;
  private final Set<Lease> held = ConcurrentHashMap.newKeySet();
  private final Queue<Settlement> unsettled = new ConcurrentLinkedQueue<>();
  private final RepeatingThread renewals = new RepeatingThread("sluice-leases");

  Leases(Quotas quotas) {
    this.quotas = quotas;
    var _ = renewals.repeat(RENEWAL, RENEWAL, this::renew);
  }

  /** Begins to renew a lease. */
  void hold(Lease lease) {
    held.add(lease);
  }

  /**
   * Gives a place and tokens back. If Redis cannot be reached, that is repeated for about as long
   * as the place lives; it has its effect once.
   */
  void settle(Lease lease, Supplier<CompletionStage<Void>> settlement) {
    settle(new Settlement(lease, settlement, TRIES));
  }

  private void settle(Settlement settlement) {
    var _ =
        settlement
            .call()
            .get()
            .whenComplete(
                (_, error) -> {
                  if (error == null) {
                    held.remove(settlement.lease());
                  } else if (settlement.tries() > 1 && unsettled.size() < MOST_UNSETTLED) {
                    unsettled.add(settlement.next());
                  } else {
                    held.remove(settlement.lease());
                    log.warn(
                        "event=quota_not_settled key={} reason=\"{}\"",
                        settlement.lease().owner(),
                        error.getMessage());
                  }
                });
  }

  /** Settles what could not be settled before, and renews all leases. */
  void renew() {
    List<Settlement> again = new ArrayList<>();
    for (Settlement next = unsettled.poll(); next != null; next = unsettled.poll()) {
      again.add(next);
    }
    again.forEach(this::settle);
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
