package io.sluice.router.schedule.dispatch;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.placement.Placement;
import io.sluice.router.request.RequestStore;
import io.sluice.router.schedule.task.PrefixWaits;
import java.util.function.Supplier;

/** What all dispatching of one task uses. Not thread-safe. */
record DispatchParts(
    RequestStore store,
    Supplier<FleetSnapshot> fleet,
    Placement placement,
    FirstTokenLimit firstTokenLimit,
    PrefixWaits prefixWaits,
    AssignmentSender sender) {}
