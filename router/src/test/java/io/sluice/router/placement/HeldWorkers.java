package io.sluice.router.placement;

import io.sluice.router.request.RequestFacts;
import java.time.Duration;
import java.util.Optional;

/** Shows tests of other packages which workers a ledger holds. */
public record HeldWorkers(Ledger ledger) {
  /** After so long a request has waited long. */
  public static final Duration PATIENCE = Holds.PATIENCE;

  public int size() {
    return ledger.holds().size();
  }

  public Optional<String> heldFor(String requestId) {
    return ledger.holds().heldFor(requestId);
  }

  public boolean keepsOff(RequestFacts facts, String worker) {
    return ledger.holds().keepsOff(facts, worker);
  }
}
