package io.sluice.router.placement;

import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import java.util.Optional;

/** Shows tests of other packages which workers a ledger holds. */
public record ReservedWorkers(Ledger ledger) {
  /** After so long a request has waited long. */
  public static final Duration PATIENCE = CapacityReservations.PATIENCE;

  public int size() {
    return ledger.capacityReservations().size();
  }

  public Optional<String> workerFor(String requestId) {
    return ledger.capacityReservations().workerFor(requestId);
  }

  public boolean isReservedForOther(RequestMetadata metadata, String worker) {
    return ledger.capacityReservations().isReservedForOther(metadata, worker);
  }
}
