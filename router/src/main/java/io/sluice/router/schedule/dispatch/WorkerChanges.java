package io.sluice.router.schedule.dispatch;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Ledger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Workers that may have gained room since one task checked last: those with a new snapshot, and
 * those to which any task of the process has sent something or got something back from. Not
 * thread-safe.
 */
final class WorkerChanges {
  private record Seen(WorkerView view, Ledger.Reserved reserved) {
    @SuppressWarnings("ReferenceEquality") // both are new objects after each change, and are large
    boolean isStill(WorkerView other, Ledger.Reserved otherReserved) {
      return view == other && reserved == otherReserved;
    }
  }

  private final Ledger ledger;
  private final Map<String, Seen> seen = new HashMap<>();

  WorkerChanges(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Returns the workers that changed since the last call. The comparison is by identity, so it may
   * report too many.
   */
  List<WorkerView> sinceLastTime(FleetSnapshot fleet) {
    List<WorkerView> changed = new ArrayList<>();
    fleet
        .workers()
        .forEach(
            (id, view) -> {
              Ledger.Reserved reserved = ledger.at(id);
              Seen before = seen.get(id);
              if (before == null || !before.isStill(view, reserved)) {
                seen.put(id, new Seen(view, reserved));
                changed.add(view);
              }
            });
    if (seen.size() > fleet.workers().size()) {
      seen.keySet().retainAll(fleet.workers().keySet());
    }
    return changed;
  }
}
