package io.sluice.router.fleet;

import io.sluice.common.fleet.WorkerSnapshot;

/**
 * A worker as this router has heard of it.
 *
 * @param heardAtNanos when its sequence last advanced, by this process's monotonic clock
 */
public record WorkerView(WorkerSnapshot snapshot, long heardAtNanos) {}
