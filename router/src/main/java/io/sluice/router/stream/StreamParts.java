package io.sluice.router.stream;

import io.sluice.router.schedule.RequestReader;
import io.sluice.router.schedule.SchedulerParts;
import java.util.function.LongSupplier;

/**
 * What the tasks of one router process share.
 *
 * @param ends where the outcomes end
 * @param starts from where they are read
 * @param nanoClock monotonic nanoseconds
 */
public record StreamParts(
    SchedulerParts shared,
    RequestReader reader,
    RecordWriter writer,
    OwnedPartitions partitions,
    EndOffsets ends,
    StartPositions starts,
    LongSupplier nanoClock) {}
