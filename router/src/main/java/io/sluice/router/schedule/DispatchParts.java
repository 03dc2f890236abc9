package io.sluice.router.schedule;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.placement.Placement;
import io.sluice.router.request.RequestStore;
import java.util.function.Supplier;

/** What all dispatching of one task uses. Not thread-safe. */
record DispatchParts(
    RequestStore store,
    Supplier<FleetSnapshot> fleet,
    Placement placement,
    FirstTokenLimit firstTokenLimit,
    PrefixWaits prefixWaits,
    RequestSender sender) {}
